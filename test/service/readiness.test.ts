import { migrations, openProbe, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { readinessOf } from '../../packages/app/src/process/readiness.ts';
import { serverAddress } from '../support/database/database-server.ts';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { databaseOf } from '../support/process/lives.ts';

const good = { database: true, writable: true, migrations: true };
const limits = { timeout: 10_000, statementTimeout: true };

describe('contract: life — what /readyz asks of the database', () => {
  const database = databaseOf('test');

  const forgotten = { database: true, migrations: false };
  const last = migrations.at(-1)?.name;
  const states: [what: string, statement: string, state: object][] = [
    ['all is there', 'select', good],
    [
      'a migration of a newer version',
      "insert into campaign_mirror.migrations (name) values ('9999-newer')",
      good,
    ],
    [
      'a migration is missing',
      `delete from campaign_mirror.migrations where name = '${last}'`,
      { ...good, migrations: false },
    ],
    ['no schema', 'drop schema campaign_mirror cascade', forgotten],
    ['no right to see it', `revoke all on schema campaign_mirror from ${roles.service}`, forgotten],
    [
      'no right to read of it',
      `revoke select (name) on campaign_mirror.migrations from ${roles.service}`,
      forgotten,
    ],
  ];
  for (const [what, statement, state] of states)
    it(`${what}: ${JSON.stringify(state)}`, async () => {
      await database.admin.query(statement);
      const probe = await openProbe(database.address('service'), limits);
      expect(await probe.ask().finally(() => probe.close())).to.deep.equal(state);
    });

  it('one that takes no writes is reported; one that is not there, or does not know us, does not answer', async () => {
    await database.admin.query(`alter database ${database.name} set default_transaction_read_only = on`);
    for (const [wrong, state] of [
      [{}, { ...good, writable: false }],
      [{ port: 1 }, { database: false }],
      [{ password: 'wrong' }, { database: false }],
      [{ database: 'nothing' }, { database: false }],
    ] as const) {
      const probe = await openProbe({ ...database.address('service'), ...wrong }, limits);
      expect(await probe.ask().finally(() => probe.close())).to.deep.equal(state);
    }
  });

  it('one that says nothing does not answer within the limit, and answers again when it does', async () => {
    const proxy = await tcpProxy(serverAddress());
    const address = { ...database.address('service'), host: '127.0.0.1', port: proxy.port };
    const probe = await openProbe(address, { timeout: 300, statementTimeout: false });
    const answers = () =>
      eventually('an answer of the database', async () =>
        expect((await probe.ask()).database).to.equal(true),
      );
    await answers();
    proxy.freeze();
    for (let times = 0; times < 3; times++) expect(await probe.ask()).to.deep.equal({ database: false });
    proxy.thaw();
    await answers();
    proxy.cut();
    await answers();
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
  for (const state of [good, { database: false }])
    it(`asks once for all that ask meanwhile or a while after, and again when it is old: ${JSON.stringify(state)}`, async () => {
      let asked = 0;
      const answer = Promise.withResolvers<typeof state>();
      const ask = () => {
        asked += 1;
        return answer.promise;
      };
      const going = new AbortController().signal;
      const [remembering, forgetting] = [readinessOf(ask, going, 600_000), readinessOf(ask, going, 0)];
      const asking = Array.from({ length: 100 }, () => remembering());
      answer.resolve(state);
      for (const checks of await Promise.all(asking))
        expect(checks).to.deep.equal({ accepting: true, ...state });
      await remembering();
      expect(asked).to.equal(1);
      for (let times = 0; times < 3; times++) await forgetting();
      expect(asked).to.equal(4);
    });

  it('is not ready from the moment at which the drain begins, also for those that asked before', async () => {
    const answer = Promise.withResolvers<typeof good>();
    const ends = new AbortController();
    const readiness = readinessOf(() => answer.promise, ends.signal);
    const before = readiness();
    ends.abort();
    answer.resolve(good);
    expect(await before).to.include({ accepting: false });
    expect(await readiness()).to.deep.equal({ accepting: false });
  });
});
