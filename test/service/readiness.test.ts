import { migrationNames, openProbe, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { databaseOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';

const good = {
  ...{ database: true, writable: true, migrations: true },
  ...{ sequences: true, transactions: true, schema: true },
};
const away = { database: false };
const notMigrated = { database: true, migrations: false };
const table = 'campaign_mirror.migrations';
const last = migrationNames.at(-1);

describe('contract: life: /readyz shows whether the database can take updates', () => {
  const database = databaseOf('test');

  async function expectChecks(checks: object, wrong: object = {}): Promise<void> {
    const probe = openProbe({ ...database.address('service'), ...wrong }, 60_000);
    expect(await probe.ask().finally(() => probe.close())).to.deep.equal(checks);
  }

  const states: Record<string, readonly [statement: string, checks: object]> = {
    'a newer migration': [`insert into ${table} (name) values ('9999-newer')`, good],
    'a missing migration': [`delete from ${table} where name = '${last}'`, { ...good, migrations: false }],
    'a disabled trigger': [
      'alter table campaign_mirror.mirrors disable trigger take_facts',
      { ...good, schema: false },
    ],
    'no schema': ['drop schema campaign_mirror cascade', notMigrated],
    'no right to use the schema': [`revoke all on schema campaign_mirror from ${roles.service}`, notMigrated],
  };
  for (const [what, [statement, checks]] of Object.entries(states))
    it(`it shows ${what}`, async () => {
      await database.admin.query(statement);
      await expectChecks(checks);
    });

  it('it shows a database that is read-only, cannot be reached, or refuses the role', async () => {
    await expectChecks(good);
    await database.admin.query(`alter database ${database.name} set default_transaction_read_only = on`);
    await expectChecks({ ...good, writable: false });
    for (const wrong of [{ port: 1 }, { password: 'wrong' }, { database: 'nothing' }])
      await expectChecks(away, wrong);
  });

  it('it recovers when the database takes writes again', async () => {
    const settings = { DATABASE_URL: database.url('service'), RUN_MIGRATIONS: 'false' };
    const { ops } = await listeningService(settings);
    const expectAnswer = (status: number, writable: boolean) =>
      eventually(`${status} from /readyz`, async () => {
        const answer = await fetch(`${ops}/readyz`);
        const { checks } = (await answer.json()) as { checks: object };
        expect([answer.status, checks]).to.deep.equal([status, { accepting: true, ...good, writable }]);
      });
    await expectAnswer(200, true);
    await database.admin.query(`alter database ${database.name} set default_transaction_read_only = on`);
    // A session keeps the default with which it began.
    await database.admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'campaign-mirror%'`);
    await expectAnswer(503, false);
    await database.admin.query(`alter database ${database.name} reset default_transaction_read_only`);
    await expectAnswer(200, true);
  });
});
