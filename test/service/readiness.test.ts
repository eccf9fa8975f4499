import { migrations, openProbe, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { readinessOf } from '../../packages/app/src/process/readiness.ts';
import { serverAddress } from '../support/database/database-server.ts';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { databaseOf } from '../support/process/lives.ts';

const limits = { timeout: 10_000, statementTimeout: true };

describe('contract: life — what /readyz asks of the database', () => {
  const database = databaseOf('test');

  /** As the service's role, after something was done to the database. */
  async function stateAfter(...statements: string[]) {
    for (const statement of statements) await database.admin.query(statement);
    const probe = await openProbe(database.address('service'), limits);
    return probe.ask().finally(() => probe.close());
  }
  const all = { database: true, writable: true, migrations: true };

  it('all is there', async () => {
    expect(await stateAfter()).to.deep.equal(all);
  });

  it('a migration that is missing is reported; one of a newer version does no harm', async () => {
    const last = migrations.at(-1)?.name;
    expect(
      await stateAfter("insert into campaign_mirror.migrations (name) values ('9999-newer')"),
    ).to.deep.equal(all);
    const without = `delete from campaign_mirror.migrations where name = '${last}'`;
    expect(await stateAfter(without)).to.deep.equal({ ...all, migrations: false });
  });

  for (const [what, statement] of [
    ['no schema', 'drop schema campaign_mirror cascade'],
    ['no right to see it', `revoke all on schema campaign_mirror from ${roles.service}`],
    ['no right to read of it', `revoke select (name) on campaign_mirror.migrations from ${roles.service}`],
  ] as const) {
    it(`${what}: as if nothing was migrated`, async () => {
      expect(await stateAfter(statement)).to.deep.equal({ database: true, migrations: false });
    });
  }

  it('a database that takes no writes is reported', async () => {
    const readOnly = `alter database ${database.name} set default_transaction_read_only = on`;
    expect(await stateAfter(readOnly)).to.deep.equal({ ...all, writable: false });
  });

  it('one that is not there, or does not know us, does not answer', async () => {
    const address = database.address('service');
    for (const wrong of [{ port: 1 }, { password: 'wrong' }, { database: 'nothing' }]) {
      const probe = await openProbe({ ...address, ...wrong }, limits);
      expect(await probe.ask()).to.deep.equal({ database: false });
      await probe.close();
    }
  });

  it('one that says nothing does not answer within the limit, and answers again when it does', async () => {
    const proxy = await tcpProxy(serverAddress());
    const address = { ...database.address('service'), host: '127.0.0.1', port: proxy.port };
    const probe = await openProbe(address, { timeout: 300, statementTimeout: false });
    const answers = async () => expect((await probe.ask()).database).to.equal(true);
    await eventually('an answer of the database', answers);
    proxy.freeze();
    for (let times = 0; times < 3; times++) expect(await probe.ask()).to.deep.equal({ database: false });
    proxy.thaw();
    await eventually('an answer of the database', answers);
    proxy.cut();
    await eventually('an answer of the database', answers);
    await probe.close();
    await proxy.close();
  });

  it('it changes nothing and holds no more than one connection', async () => {
    const probe = await openProbe(database.address('service'), limits);
    await Promise.all(Array.from({ length: 50 }, () => probe.ask()));
    const { rows } = await database.admin.query(
      "select backend_xid, state from pg_stat_activity where datname = current_database() and application_name like '%readiness'",
    );
    expect(rows).to.deep.equal([{ backend_xid: null, state: 'idle' }]);
    await probe.close();
  });
});

describe('contract: life — /readyz', () => {
  const good = { database: true, writable: true, migrations: true };
  const going = new AbortController().signal;

  it('asks the database once for all that ask meanwhile, and for a while after', async () => {
    let asked = 0;
    const answer = Promise.withResolvers<typeof good>();
    const ask = () => {
      asked += 1;
      return answer.promise;
    };
    const readiness = readinessOf(ask, going, 600_000);
    const asking = Array.from({ length: 100 }, () => readiness());
    answer.resolve(good);
    for (const checks of await Promise.all(asking))
      expect(checks).to.deep.equal({ accepting: true, ...good });
    for (let times = 0; times < 100; times++) await readiness();
    expect(asked).to.equal(1);
  });

  for (const state of [good, { database: false }]) {
    it(`remembers the answer ${JSON.stringify(state)}, and asks again when it is old`, async () => {
      let asked = 0;
      const ask = async () => {
        asked += 1;
        return state;
      };
      const [remembering, forgetting] = [readinessOf(ask, going, 600_000), readinessOf(ask, going, 0)];
      for (let times = 0; times < 3; times++) await remembering();
      expect(asked).to.equal(1);
      for (let times = 0; times < 3; times++) await forgetting();
      expect(asked).to.equal(4);
    });
  }

  it('is not ready from the moment at which the drain begins, also for those that asked before, and asks no more', async () => {
    let asked = 0;
    const answer = Promise.withResolvers<typeof good>();
    const ends = new AbortController();
    const ask = () => {
      asked += 1;
      return answer.promise;
    };
    const readiness = readinessOf(ask, ends.signal);
    const before = readiness();
    ends.abort();
    answer.resolve(good);
    expect(await before).to.include({ accepting: false });
    expect(await readiness()).to.deep.equal({ accepting: false });
    expect(asked).to.equal(1);
  });
});
