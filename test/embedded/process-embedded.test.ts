import { expect } from 'chai';
import { startEmbeddedDatabase } from '../../packages/app/src/database/database-access.ts';
import { query } from '../support/database/client.ts';
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

describe('service and embedded database end together, and keep every acknowledged update', () => {
  const folder = dataFolderOf('test');
  const serving = () => listeningService({ DATA_DIR: folder.path });
  const nothingRuns = () => expect(processesOf(folder.path)).to.deep.equal([]);

  async function underLoad() {
    const { process, base } = await serving();
    const one = { ...(await demonstration(process)), address: 'https://example.com/' };
    const callers = load([{ base, ...one }], 8);
    await callers.after(1);
    const statuses = async () => (await callers.stop()).flatMap(({ status }) => status ?? []);
    return { process, one, statuses };
  }
  async function historyRows(): Promise<number> {
    const database = await startEmbeddedDatabase({ folder: folder.path });
    const text = 'select count(*)::int as count from campaign_mirror.mirror_history';
    const [{ count }] = await query(database.address('superuser'), text);
    await database.close();
    return count;
  }

  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    it(`after ${signal} under load, nothing is lost and no process is left`, async () => {
      const { process, one, statuses } = await underLoad();
      const { code } = await process.stop(signal);
      const answered = await statuses();
      expect(new Set(answered)).to.deep.equal(new Set([200]));
      if (signal === 'SIGTERM') {
        expect(code).to.equal(0);
        nothingRuns();
      }
      const second = await serving();
      expect((await call({ ...one, base: second.base })).status).to.equal(200);
      expect(await historyRows()).to.be.at.least(answered.length + 1);
      await second.process.stop('SIGKILL');
      await eventually('the end of the database', nothingRuns);
    });

  it('of two concurrent first starts one serves, and the other says that the folder is in use', async () => {
    const both = [startService({ DATA_DIR: folder.path }), startService({ DATA_DIR: folder.path })];
    const refused = await Promise.race(both.map((one) => one.ended.then(() => one)));
    expect(refused.child.exitCode).to.equal(1);
    const serves = both.find((one) => one !== refused) as RunningProcess;
    await serves.event('listening');
    expect(refused.errors).to.match(/^The data folder .* is in use by another service .*\.\n$/);
    expect(refused.errors).to.include(`${folder.path} is`).and.to.include(`(process ${serves.child.pid})`);
    expect((await serves.stop()).code).to.equal(0);
    nothingRuns();
  });

  it('after the death of the database, the service ends with 1, and the next start recovers', async () => {
    const { process: service, statuses } = await underLoad();
    const { processId } = await service.event('database-started');
    process.kill(Number(processId), 'SIGKILL');
    expect((await service.ended).code).to.equal(1);
    const [{ err } = {}, ...others] = eventsOf(service, 'failed');
    expect((err as Error).message).to.match(/^The embedded database in .* ended by itself \(SIGKILL\): see /);
    expect(others).to.deep.equal([]);
    const answered = await statuses();
    for (const status of answered) expect(status).to.be.oneOf([200, 503]);
    const second = await serving();
    expect(await historyRows()).to.be.at.least(answered.filter((status) => status === 200).length);
    expect((await second.process.stop()).code).to.equal(0);
  });
});
