import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { call } from '../support/http/caller.ts';
import { dataFolder, processesOf } from '../support/process/data-folder.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { ended, eventsOf, type Fleet, listeningFleet, lives } from '../support/process/primary-process.ts';
import { startService } from '../support/process/service-process.ts';

describe('contract: life — how a service of several processes starts, and starts anew', () => {
  const data = serviceDataOf('suite');
  let silenced: Fleet;
  before(async () => {
    silenced = await listeningFleet(data.settings());
    // It takes 10 s until that is noticed: the last of these tests.
    expect(await livez(silenced)).to.deep.equal([200, { status: 'alive', checks: { workers: true } }]);
    process.kill(Number(silenced.workers()[0]?.pid), 'SIGSTOP');
  });

  async function livez({ ops }: Fleet): Promise<unknown[]> {
    const answer = await fetch(`${ops}/livez`);
    return [answer.status, await answer.json()];
  }

  /** A start that fails: its one line. */
  async function refused(given: Record<string, string>): Promise<string> {
    const process = startService({ WORKERS: '2', ...given });
    expect((await process.ended).code).to.equal(1);
    expect(eventsOf(process, 'listening')).to.deep.equal([]);
    const lines = process.errors.trim().split('\n');
    expect(lines).to.have.length(1);
    return lines[0] ?? '';
  }

  it('a port that is in use ends it with one line', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    expect(await refused(data.settings({ PORT: String(port) }))).to.match(
      new RegExp(`^PORT ${port} .* is in use`),
    );
    other.close();
  });

  it('a database that lacks rights, or fewer connections than workers, end it with one line', async () => {
    const DATABASE_URL = data.database.url('redirector');
    expect(await refused(data.settings({ DATABASE_URL }))).to.match(/lacks a right/);
    const few = await refused(data.settings({ POOL_SIZE: '2' }));
    expect(few).to.match(/^POOL_SIZE must be at least 3 with WORKERS=2/);
  });

  it('SIGTERM while workers start: exit code 0', async () => {
    const process = startService(data.settings({ WORKERS: '2' }));
    await process.event('starting');
    expect((await process.stop()).code).to.equal(0);
    expect(eventsOf(process, 'listening')).to.deep.equal([]);
  });

  it('SIGHUP: where the new worker cannot start the old ones serve on, and the next one has what was fixed', async () => {
    const folder = await dataFolder('password');
    await writeFile(folder.path, data.database.url('service'));
    const service = await listeningFleet({ DATABASE_URL_FILE: folder.path, RUN_MIGRATIONS: 'false' });
    await writeFile(folder.path, data.database.url('redirector'));
    service.process.child.kill('SIGHUP');
    expect((await service.process.event('restart-failed')).msg).to.match(/lacks a right/);
    expect((await call(data.one(service))).status).to.equal(200);
    expect(service.workers().map(({ pid }) => lives(pid))).to.deep.equal([true, true]);
    await writeFile(folder.path, data.database.url('service'));
    service.process.child.kill('SIGHUP');
    await service.process.event('restarted');
    expect((await call(data.one(service))).status).to.equal(200);
    expect((await service.process.stop()).code).to.equal(0);
    await folder.remove();
  });

  it('on the embedded database: kill -9 of all the primary leaves, a new start adopts the database', async () => {
    const folder = await dataFolder();
    const first = await listeningFleet({ DATA_DIR: folder.path });
    first.process.child.kill('SIGKILL');
    for (const { pid } of first.workers()) await ended(pid);
    const second = await listeningFleet({ DATA_DIR: folder.path });
    expect(eventsOf(second.process, 'database-adopted')).to.have.length(1);
    expect((await second.process.stop()).code).to.equal(0);
    expect(await processesOf(folder.path)).to.deep.equal([]);
    await folder.remove();
  });

  it('/livez fails when the event loop of a worker does not run for 10 s', async () => {
    const [first] = silenced.workers();
    const said = await silenced.process.event('worker-silent');
    expect(said).to.include({ silent: first?.worker });
    const checks = { workers: false, [`worker ${first?.worker}`]: false };
    expect(await livez(silenced)).to.deep.equal([503, { status: 'not alive', checks }]);
    process.kill(Number(first?.pid), 'SIGCONT');
    await silenced.process.event('worker-silent-no-more');
    expect((await livez(silenced))[0]).to.equal(200);
  });
});
