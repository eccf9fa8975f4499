import { expect } from 'chai';
import { connect } from '../support/database/client.ts';
import { call } from '../support/http/caller.ts';
import { databaseOf, serviceDataOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';

const campaign = (time: string) =>
  `insert into campaign_mirror.campaigns (id, owner_id, created_at) values (2, 7, ${time})`;
const mirror = (column: string, time: string) =>
  `insert into campaign_mirror.mirrors (campaign_id, target_url, ${column}) values (1, 'https://a.example/', ${time})`;
const key = (column: string, time: string, hash = 'k') =>
  `insert into campaign_mirror.access_keys (hash, displayed, name, owner_id, ${column})
   values (sha256('${hash}'), '${hash}', 'k', 7, ${time})`;

const past: Record<string, (time: string) => string> = {
  'campaigns.created_at': campaign,
  'mirrors.created_at': (time) => mirror('created_at', time),
  'mirrors.updated_at': (time) => mirror('updated_at', time),
  'mirrors.updated_externally_at': (time) => mirror('updated_externally_at', time),
  'access_keys.created_at': (time) => key('created_at', time),
};
const future: Record<string, (time: string) => string> = {
  'access_keys.expires_at': (time) => key('expires_at', time),
  'access_keys.revoked_at': (time) => `update campaign_mirror.access_keys set revoked_at = ${time}`,
};
const never = ["'294276-12-31'", "'-infinity'", "'0044-03-15 BC'"];
const ahead = ["'infinity'", "'2999-01-01'", "now() + interval '61 minutes'"];

describe('contract: time — a time that a role writes by psql cannot lie outside the calendar or far ahead', () => {
  const database = databaseOf('test');
  beforeEach(async () => {
    await database.admin.query('insert into campaign_mirror.campaigns (id, owner_id) values (1, 7)');
    await database.admin.query(key('created_at', "'2020-01-01'"));
  });

  for (const [column, statement] of Object.entries({ ...past, ...future }))
    it(`${column} refuses ${column in past ? 'years before 1 or times ahead' : 'years before 1 or after 9999'}`, async () => {
      const client = await connect(database.address('operator'));
      for (const time of column in past ? [...never, ...ahead] : never) {
        const { code } = await client.query(statement(time)).catch((error) => error);
        expect(code, time).to.equal(column in past ? '22008' : '23514');
      }
      await client.end();
    });

  it('a time up to an hour ahead is stored as now', async () => {
    const soon = "now() + interval '59 minutes'";
    const client = await connect(database.address('operator'));
    await client.query(campaign(soon));
    await client.query(mirror('updated_externally_at, created_at, updated_at', `${soon}, ${soon}, ${soon}`));
    await client.query(key('created_at', soon, 'other'));
    const { rows } = await client.query(`
      select max(time) <= clock_timestamp() as passed from (
        select created_at as time from campaign_mirror.campaigns
        union all select created_at from campaign_mirror.access_keys
        union all select unnest(array[created_at, updated_at, updated_externally_at]) from campaign_mirror.mirrors) as t`);
    expect(rows).to.deep.equal([{ passed: true }]);
    await client.end();
  });
});

describe('contract: time — a mirror whose time lies ahead takes updates, and its times never go back', () => {
  const data = serviceDataOf('suite', { campaigns: 3 });

  it('each answer has times in the form of the contract', async () => {
    const { admin } = data.database;
    const [first, ...others] = data.campaigns;
    for (const [at, time] of ["'294276-12-31'", "'9999-12-31 23:59:59.999999Z'"].entries()) {
      const set = `update campaign_mirror.mirrors set updated_at = ${time}, created_at = ${time} where campaign_id = $1`;
      await admin.query(set, [others[at]]);
    }
    const { base } = await listeningService(data.settings());
    for (let round = 0; round < 3; round++) {
      const calls = [...data.updates(base), ...data.updates(base)].map((one) => call(one));
      for (const { status, body } of await Promise.all(calls)) {
        expect(status, body).to.equal(200);
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
