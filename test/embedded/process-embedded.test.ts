import { expect } from 'chai';
import { startEmbeddedDatabase } from '../../packages/app/src/database/database-access.ts';
import { query } from '../support/embedded/embedded-sandbox.ts';
import { call, load } from '../support/http/caller.ts';
import { processesOf } from '../support/process/data-folder.ts';
import { dataFolderOf } from '../support/process/lives.ts';
import {
  demonstration,
  eventsOf,
  listeningService,
  type RunningProcess,
  startService,
} from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';

describe('a process of the service on its embedded database', () => {
  const folder = dataFolderOf('test');
  const serving = () => listeningService({ DATA_DIR: folder.path });
  const nothingRuns = async () => expect(await processesOf(folder.path)).to.deep.equal([]);

  /** Its first start, with a call of its demonstration set, under load. */
  async function underLoad() {
    const { process, base } = await serving();
    const one = { ...(await demonstration(process)), address: 'https://example.com/' };
    const callers = load([{ base, ...one }], 8);
    await callers.first;
    return { process, one, callers };
  }

  async function historyRows(): Promise<number> {
    const database = await startEmbeddedDatabase({ folder: folder.path });
    const text = 'select count(*)::int as count from campaign_mirror.mirror_history';
    const [{ count }] = await query(database.address('superuser'), text);
    await database.close();
    return count;
  }

  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    it(`${signal} under load: the database ends too, and the next start has every acknowledged update`, async () => {
      const { process, one, callers } = await underLoad();
      const end = await process.stop(signal);
      const statuses = (await callers.stop()).flatMap(({ status }) => status ?? []);
      expect(new Set(statuses), 'what was asked is answered').to.deep.equal(new Set([200]));
      if (signal === 'SIGTERM') {
        expect(end.code).to.equal(0);
        await nothingRuns();
      }
      const second = await serving();
      expect((await call({ ...one, base: second.base })).status).to.equal(200);
      expect(await historyRows()).to.be.at.least(statuses.length + 1);
      await second.process.stop('SIGKILL');
      await eventually('a database that has ended', nothingRuns);
    });

  it('two first starts at once: one serves, the other says that the folder is in use', async () => {
    const both = [startService({ DATA_DIR: folder.path }), startService({ DATA_DIR: folder.path })];
    const refused = await Promise.race(both.map((one) => one.ended.then(() => one)));
    expect(refused.child.exitCode).to.equal(1);
    const serves = both.find((one) => one !== refused) as RunningProcess;
    const { port } = await serves.event('listening');
    expect(refused.errors).to.equal(
      `The data folder ${folder.path} is in use by another service (process ${serves.child.pid}): stop that one, or choose another folder with DATA_DIR.\n`,
    );
    expect((await fetch(`http://127.0.0.1:${port}/a`)).status).to.equal(404);
    expect((await serves.stop()).code).to.equal(0);
    await nothingRuns();
  });

  it('a database that dies: 200 or 503 only, one line says so, exit code 1; the next start recovers', async () => {
    const { process: service, callers } = await underLoad();
    const { processId } = await service.event('database-started');
    process.kill(Number(processId), 'SIGKILL');
    expect((await service.ended).code).to.equal(1);
    const statuses = (await callers.stop()).flatMap(({ status }) => status ?? []);
    const [{ err } = {}, ...others] = eventsOf(service, 'failed');
    expect((err as Error).message).to.match(/^The embedded database in .* ended by itself \(SIGKILL\): see /);
    expect(others).to.deep.equal([]);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).to.deep.equal([]);

    const second = await serving();
    expect(await historyRows()).to.be.at.least(statuses.filter((status) => status === 200).length);
    expect((await second.process.stop()).code).to.equal(0);
  });
});
