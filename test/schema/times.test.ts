import { expect } from 'chai';
import { connect } from '../support/database/client.ts';
import { call } from '../support/http/caller.ts';
import { databaseOf, serviceDataOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';

const inserts = (time: string): Record<string, string> => {
  const mirror = (column: string) =>
    `insert into campaign_mirror.mirrors (campaign_id, target_url, ${column}) values (1, 'https://a.example/', ${time})`;
  return {
    campaign: `insert into campaign_mirror.campaigns (id, owner_id, created_at) values (2, 7, ${time})`,
    ...{ 'mirror.created_at': mirror('created_at'), 'mirror.updated_at': mirror('updated_at') },
    'mirror.updated_externally_at': mirror('updated_externally_at'),
    key: `insert into campaign_mirror.access_keys (hash, displayed, name, owner_id, created_at)
      values (sha256('k'), 'k', 'k', 7, ${time})`,
  };
};

describe('contract: time — a time that the operator writes by psql lies at most an hour ahead', () => {
  const database = databaseOf('test');
  beforeEach(() =>
    database.admin.query('insert into campaign_mirror.campaigns (id, owner_id) values (1, 7)'),
  );

  for (const what of Object.keys(inserts('')))
    it(`${what}: a later time is refused, and a nearer one is stored as now`, async () => {
      const client = await connect(database.address('operator'));
      const statement = (time: string) => `${inserts(time)[what]} returning *`;
      const { code } = await client.query(statement("now() + interval '61 minutes'")).catch((error) => error);
      expect(code).to.equal('22008');
      const { rows } = await client.query(statement("now() + interval '59 minutes'"));
      for (const [name, value] of Object.entries(rows[0]))
        if (value instanceof Date && name !== 'expires_at') expect(value, name).to.be.at.most(new Date());
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
