import { mock } from 'node:test';
import { migrationNames, openProbe, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { readinessOf } from '../../packages/app/src/process/life.ts';
import { databaseOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';

const good = {
  database: true,
  writable: true,
  migrations: true,
  sequences: true,
  transactions: true,
  schema: true,
};
const timeout = 10_000;

describe('contract: life — what /readyz asks of the database', () => {
  const database = databaseOf('test');

  async function answer(state: object, wrong: object = {}): Promise<void> {
    const probe = openProbe({ ...database.address('service'), ...wrong }, timeout);
    expect(await probe.ask().finally(() => probe.close())).to.deep.equal(state);
  }

  const table = 'campaign_mirror.migrations';
  const last = migrationNames.at(-1);
  const forgotten = { database: true, migrations: false };
  const states: [what: string, statement: string, state: object][] = [
    ['all is there, and more', `insert into ${table} (name) values ('9999-newer')`, good],
    ['a migration is missing', `delete from ${table} where name = '${last}'`, { ...good, migrations: false }],
    [
      'a trigger is disabled',
      'alter table campaign_mirror.mirrors disable trigger take_facts',
      { ...good, schema: false },
    ],
    ['no schema', 'drop schema campaign_mirror cascade', forgotten],
    ['no right to see it', `revoke all on schema campaign_mirror from ${roles.service}`, forgotten],
    ['no right to read of it', `revoke select (name) on ${table} from ${roles.service}`, forgotten],
  ];
  for (const [what, statement, state] of states)
    it(`${what}: ${JSON.stringify(state)}`, async () => {
      await database.admin.query(statement);
      await answer(state);
    });

  it('one that takes no writes is reported; one that is not there, or does not know us, does not answer', async () => {
    await answer(good);
    await database.admin.query(`alter database ${database.name} set default_transaction_read_only = on`);
    await answer({ ...good, writable: false });
    for (const wrong of [{ port: 1 }, { password: 'wrong' }, { database: 'nothing' }])
      await answer({ database: false }, wrong);
  });

  it('it recovers while it is asked, when the database takes writes again: no session of before is kept', async () => {
    const { ops } = await listeningService({
      DATABASE_URL: database.url('service'),
      RUN_MIGRATIONS: 'false',
    });
    const answers = (status: number, writable: boolean) =>
      eventually(`${status} from /readyz`, async () => {
        const answer = await fetch(`${ops}/readyz`);
        const { checks } = (await answer.json()) as { checks: object };
        expect([answer.status, checks]).to.deep.equal([status, { accepting: true, ...good, writable }]);
      });
    await answers(200, true);
    // A session keeps the default with which it began.
    await database.admin.query(`alter database ${database.name} set default_transaction_read_only = on`);
    await database.admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'campaign-mirror%'`);
    await answers(503, false);
    await database.admin.query(`alter database ${database.name} reset default_transaction_read_only`);
    await answers(200, true);
  });

  it('one answer is for all that ask meanwhile, and for a while after', async () => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
      return good;
    };
    const ends = new AbortController();
    const now = mock.method(performance, 'now', () => 0);
    const ready = readinessOf(ask, ends.signal);
    for (const checks of await Promise.all(Array.from({ length: 100 }, ready)))
      expect(checks).to.deep.equal({ accepting: true, ...good });
    await ready();
    now.mock.restore();
    expect(asked).to.equal(1);
    ends.abort();
    expect(await ready()).to.deep.equal({ accepting: false });
  });
});
