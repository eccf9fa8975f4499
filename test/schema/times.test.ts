import { expect } from 'chai';
import { connect } from '../support/database/client.ts';
import { call } from '../support/http/caller.ts';
import { databaseOf, serviceDataOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';

const campaign = (time: string) =>
  `insert into campaign_mirror.campaigns (id, owner_id, created_at) values (2, 7, ${time})`;
const mirror = (column: string, time: string) =>
  `insert into campaign_mirror.mirrors (campaign_id, target_url, ${column}) values (1, 'https://a.example/', ${time})`;
const key = (column: string, time: string) =>
  `insert into campaign_mirror.access_keys (hash, displayed, name, owner_id, ${column}) values (sha256('k'), 'k', 'k', 7, ${time})`;

const rows: Record<string, (time: string) => string> = {
  campaign,
  'mirror: created_at': (time) => mirror('created_at', time),
  'mirror: updated_at': (time) => mirror('updated_at', time),
  'mirror: updated_externally_at': (time) => mirror('updated_externally_at', time),
  'key: created_at': (time) => key('created_at', time),
};
const ends: Record<string, (time: string) => string> = {
  'key: expires_at': (time) => key('expires_at', time),
  'key: expires_at, later': (time) => `update campaign_mirror.access_keys set expires_at = ${time}`,
  'key: revoked_at, later': (time) => `update campaign_mirror.access_keys set revoked_at = ${time}`,
};
const never = ["'294276-12-31'", "'-infinity'", "'0044-03-15 BC'", "'0001-12-31 BC'"];
const ahead = ["'infinity'", "'2999-01-01'", "now() + interval '61 minutes'"];

describe('times that psql writes', () => {
  const database = databaseOf('test');
  beforeEach(async () => {
    await database.admin.query('insert into campaign_mirror.campaigns (id, owner_id) values (1, 7)');
    await database.admin.query(key('created_at', "'2020-01-01'"));
  });

  for (const [what, statement] of Object.entries({ ...rows, ...ends }))
    it(`${what}: outside the years 1 to 9999, or ahead where it has passed, is refused`, async () => {
      const client = await connect(database.address('operator'));
      const times = what in rows ? [...never, ...ahead] : never;
      for (const time of times) {
        const { code } = await client.query(statement(time)).catch((error) => error);
        expect(code, time).to.equal(what in rows ? '22008' : '23514');
      }
      await client.end();
    });

  it('up to an hour ahead, it is now', async () => {
    const soon = "now() + interval '59 minutes'";
    const client = await connect(database.address('operator'));
    await client.query(campaign(soon));
    await client.query(mirror('updated_externally_at, created_at, updated_at', `${soon}, ${soon}, ${soon}`));
    await client.query(key('created_at', soon).replaceAll("'k'", "'other'"));
    const { rows } = await client.query(`
      select max(time) <= clock_timestamp() as passed from (
        select created_at as time from campaign_mirror.campaigns union all select created_at from campaign_mirror.access_keys
        union all select unnest(array[created_at, updated_at, updated_externally_at]) from campaign_mirror.mirrors) as times`);
    expect(rows).to.deep.equal([{ passed: true }]);
    await client.end();
  });
});

describe('mirrors whose clock was once ahead, beside others', () => {
  const data = serviceDataOf('suite', { campaigns: 5 });

  it('take clicks and updates: each answer has times in the format of the contract, which do not go back', async () => {
    const { admin } = data.database;
    const [first, ...others] = data.campaigns;
    const years = ["'2999-01-01'", "'infinity'", "'294276-12-31'", "'9999-12-31 23:59:59.999999Z'"];
    for (const [at, time] of years.entries()) {
      const set = `update campaign_mirror.mirrors set updated_at = ${time}, created_at = ${time} where campaign_id = $1`;
      await admin.query(set, [others[at]]);
    }
    const clicked = await connect(data.database.address('redirector'));
    const { rows } = await clicked.query('select * from campaign_mirror.count_clicks($1, $2)', [
      data.campaigns,
      data.campaigns.map(() => 3),
    ]);
    await clicked.end();
    expect(rows, 'campaigns that were not counted').to.deep.equal([]);
    const { base } = await listeningService(data.settings());
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        [...data.updates(base), ...data.updates(base)].map((one) => call(one)),
      );
      for (const { status, body } of answers) {
        expect(status, body).to.equal(200);
        expect(body).to.match(/"clicks":3\b/);
        for (const [, time] of body.matchAll(/"\w+_at":"([^"]*)"/g))
          expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      }
    }
    const order = `select campaign_id::float8 as id, count(*)::int,
        bool_and(changed_at >= before) as rises, bool_or(changed_at > now()) as ahead
      from (select *, lag(changed_at, 1, changed_at) over (partition by campaign_id order by id) as before
        from campaign_mirror.mirror_history) as changes group by 1 order by 1`;
    expect((await admin.query(order)).rows).to.deep.equal(
      data.campaigns.map((id) => ({ id, count: 6, rises: true, ahead: id !== first })),
    );
  });
});
