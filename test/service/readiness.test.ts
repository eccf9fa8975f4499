import { openProbe } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { databaseOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';

const good = {
  ...{ database: true, writable: true, migrations: true },
  ...{ sequences: true, transactions: true, schema: true },
};
const away = { database: false };

describe('contract: life: /readyz shows whether the database can take updates', () => {
  const database = databaseOf('test');

  async function expectChecks(checks: object, wrong: object = {}): Promise<void> {
    const probe = openProbe({ ...database.address('service'), ...wrong }, 60_000);
    expect(await probe.ask().finally(() => probe.close())).to.deep.equal(checks);
  }

  it('it shows a database that is read-only, cannot be reached, or refuses the role', async () => {
    await database.admin.query(`insert into campaign_mirror.migrations (name) values ('9999-newer')`);
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
