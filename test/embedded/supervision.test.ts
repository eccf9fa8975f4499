import { rename } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedError } from '@campaign-mirror/embedded-postgres';
import { expect } from 'chai';
import { livingPostmaster } from '../../packages/embedded-postgres/src/cluster/postmaster.ts';
import {
  type Opened,
  pgdataOf,
  query,
  registrations,
  Sandbox,
  signalServer,
  until,
} from '../support/embedded/embedded-sandbox.ts';

describe('the supervision of the embedded database', () => {
  const sandbox = new Sandbox();
  let folder: string;
  let pgdata: string;

  before(async () => {
    folder = await sandbox.folder();
    pgdata = pgdataOf(folder);
  });
  afterEach(async () => {
    await (await sandbox.open(folder)).leave();
  });
  after(() => sandbox.clean());

  const processId = async () => (await livingPostmaster(pgdata))?.processId;
  const asksOne = async (database: Opened) => {
    expect(await query(database.address('service'), 'select 1 as one')).deep.equal([{ one: 1 }]);
  };

  for (const signal of ['SIGKILL', 'SIGQUIT', 'SIGINT'] as const)
    it(`brings a server that ended by ${signal} back on the same port, as the same service`, async () => {
      const database = await sandbox.open(folder);
      await database.becomeService();
      const { port } = database.address('service');
      await signalServer(pgdata, signal);
      const { detail } = await database.record.next('restarted');
      expect(detail).include({ port, processId: await processId(), attempt: 1 });
      await asksOne(database);
      expect(await registrations(database)).deep.equal([`${process.pid}:1`, `${process.pid}:2`]);
      await database.leave();
      expect(database.record.names()).deep.equal(
        'created starting started lost restarting starting restarted stopping stopped'
          .split(' ')
          .slice(database.record.names().includes('created') ? 0 : 1),
      );
    });

  it('brings a server back that somebody told to end when its clients are gone', async () => {
    const database = await sandbox.open(folder, { bounds: { lookMs: 50 } });
    await signalServer(pgdata, 'SIGTERM');
    await database.record.next('restarted');
    await asksOne(database);
    await database.leave();

    const unaware = await sandbox.open(folder);
    process.kill((await processId()) ?? 0, 'SIGTERM');
    await until(
      'the shutdown',
      async () => (await livingPostmaster(pgdata))?.status === 'stopping' || undefined,
    );
    const opener = await sandbox.open(folder);
    await unaware.record.next('restarted');
    await Promise.all([opener.leave(), unaware.leave()]);
  });

  it('connects again when only its connection was ended', async () => {
    const database = await sandbox.open(folder);
    await database.becomeService();
    const server = await processId();
    await endConnections(database);
    await database.record.next('reconnected');
    expect(await processId()).equal(server);
    expect(await registrations(database)).deep.equal([`${process.pid}:1`, `${process.pid}:2`]);
    await database.leave();
    expect(database.record.names().at(-1)).equal('stopped');
  });

  it('brings one server back for several members', async () => {
    const members = await Promise.all([1, 2, 3].map(() => sandbox.open(folder)));
    const other = await sandbox.openedMember(folder);
    await signalServer(pgdata, 'SIGKILL');
    const again = await Promise.all([...members, other].map(({ record }) => record.next('restarted')));
    expect(new Set(again.map(({ detail }) => detail?.processId))).deep.equal(new Set([await processId()]));
    expect(again.filter(({ detail }) => detail?.startedByUs)).length(1);
    for (const member of members) await member.leave();
    await other.order('leave');
    expect(other.record.names().at(-1)).equal('stopped');
  });

  it('waits for what a killed server left behind', async () => {
    const database = await sandbox.open(folder);
    const [{ orphan }] = await query(
      database.address('superuser'),
      `select pid as orphan from pg_stat_activity where backend_type = 'checkpointer'`,
    );
    process.kill(orphan, 'SIGSTOP');
    let resumed = false;
    try {
      await signalServer(pgdata, 'SIGKILL');
      const restarted = database.record.next('restarted').then(() => resumed);
      await database.record.next('starting').catch(() => {});
      await pause(300);
      resumed = true;
      process.kill(orphan, 'SIGCONT');
      expect(await restarted).equal(true);
    } finally {
      if (!resumed) process.kill(orphan, 'SIGCONT');
    }
    await asksOne(database);
    await database.leave();
  });

  it('gives up after the last attempt, and can be left then', async () => {
    const database = await sandbox.open(folder, { bounds: { attempts: 3, firstPauseMs: 10 } });
    await rename(pgdata, `${pgdata}.away`);
    process.kill(Number(database.record.all.at(-1)?.detail?.processId), 'SIGKILL');
    const error = await database.givenUp;
    await rename(`${pgdata}.away`, pgdata);
    expect(error).instanceOf(EmbeddedError);
    expect(error.message).match(
      /^The embedded database in .* does not start \(.*pgdata.*\): see .*logs.*\.$/,
    );
    const names = database.record.names();
    expect(names.filter((name) => name === 'restart-failed')).length(3);
    expect(names.at(-1)).equal('given-up');
    expect(await database.becomeService().catch((reason: Error) => reason.message)).contain('given up');
    await database.leave();
  });

  it('gives up on a database that is lost again and again, but not on one that is well in between', async () => {
    const bounds = { attempts: 2, firstPauseMs: 10, longestPauseMs: 10 };
    const sickly = await sandbox.open(folder, { bounds });
    for (const _ of [1, 2]) {
      await endConnections(sickly);
      await sickly.record.next('reconnected');
    }
    await endConnections(sickly);
    expect((await sickly.givenUp).message).contain('was lost 2 times in a row');
    await sickly.leave();

    const well = await sandbox.open(folder, { bounds: { ...bounds, healthyMs: 0 } });
    for (const _ of [1, 2, 3]) {
      await endConnections(well);
      await well.record.next('reconnected');
    }
    await well.leave();
    expect(well.record.names().at(-1)).equal('stopped');
  });

  it('gives up at once when another has become the service meanwhile', async () => {
    const database = await sandbox.open(folder, { bounds: { firstPauseMs: 1500 } });
    const other = await sandbox.openedMember(folder);
    await database.becomeService();
    await endConnections(database, `${process.pid}`);
    await other.order('service');
    expect((await database.givenUp).message).contain(`another service (process ${other.process.pid})`);
    await database.leave();
    expect(database.record.names().at(-1)).equal('left-running');
    await other.order('leave');
  });

  it('can be left while it waits for the next attempt', async () => {
    const database = await sandbox.open(folder, {
      bounds: { firstPauseMs: 600_000, longestPauseMs: 600_000 },
    });
    await signalServer(pgdata, 'SIGKILL');
    await database.record.next('restarting');
    await database.leave();
    expect(await processId()).equal(undefined);

    const cut = await sandbox.open(folder, { bounds: { firstPauseMs: 600_000, longestPauseMs: 600_000 } });
    await endConnections(cut);
    await cut.record.next('restarting');
    await cut.leave();
    expect(cut.record.names().at(-1)).equal('stopped');
    expect(await processId()).equal(undefined);
  });

  it('can be left in the middle of a restart', async () => {
    const database = await sandbox.open(folder);
    await signalServer(pgdata, 'SIGKILL');
    await database.record.next('restarting');
    await database.record.next('starting');
    await database.leave();
    expect(await processId()).equal(undefined);
    expect(database.record.names().at(-1)).equal('stopped');
  });

  it('drops everything when a fast stop takes too long, and says so', async () => {
    const database = await sandbox.open(folder, { bounds: { fastStopMs: 300 } });
    await query(database.address('superuser'), 'create table survivor as select 7 as number');
    const [{ stuck }] = await query(
      database.address('superuser'),
      `select pid as stuck from pg_stat_activity where backend_type = 'checkpointer'`,
    );
    process.kill(stuck, 'SIGSTOP');
    await database.leave();
    expect(database.record.names().slice(-3)).deep.equal(['stopping', 'stop-forced', 'stopped']);
    expect(await processId()).equal(undefined);
    const again = await sandbox.open(folder);
    expect(await query(again.address('superuser'), 'select number from survivor')).deep.equal([
      { number: 7 },
    ]);
    await again.leave();
  });
});

/** Ends the connections of members, as an administrator may. */
async function endConnections(database: Opened, process = ''): Promise<void> {
  await query(
    database.address('superuser'),
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'campaign mirror process %' || $1`,
    [process],
  );
}
