import { expect } from 'chai';
import { openOwnDatabase } from '../../packages/app/src/database/embedded-database.ts';
import { query } from '../support/embedded/embedded-sandbox.ts';
import { printed } from '../support/embedded/first-start.ts';
import { eventually } from '../support/eventually.ts';
import { call, load } from '../support/http/caller.ts';
import { type DataFolder, processesOf } from '../support/process/data-folder.ts';
import { dataFolderOf } from '../support/process/lives.ts';
import {
  type Listening,
  listeningService,
  type RunningProcess,
  startService,
} from '../support/process/service-process.ts';

async function firstStart(folder: DataFolder): Promise<Listening & { key: string; campaign: number }> {
  const service = await listeningService({ DATA_DIR: folder.path });
  await service.process.says(() => service.process.output.includes('demo remove') || undefined);
  const { key, campaign } = printed(service.process.output);
  return { ...service, key, campaign };
}

describe('a process of the service on its embedded database', () => {
  const folder = dataFolderOf('test');

  const acknowledged = (answers: { status: number | undefined; requestId: string }[]) =>
    answers.filter(({ status }) => status === 200).length;

  it('SIGTERM: what was asked is answered, then the database ends; the next start has the data', async () => {
    const first = await firstStart(folder);
    const callers = load([first], 8);
    await callers.first;
    expect((await first.process.stop()).code).to.equal(0);
    const answers = await callers.stop();
    expect(await processesOf(folder.path)).to.deep.equal([]);
    expect(new Set(answers.map(({ status }) => status).filter(Boolean))).to.deep.equal(new Set([200]));

    const second = await listeningService({ DATA_DIR: folder.path });
    const { status, body } = await call({ ...first, base: second.base, address: 'https://example.com/' });
    expect(status).to.equal(200);
    expect(JSON.parse(body).mirror.updated_externally).to.equal(true);
    expect((await second.process.stop()).code).to.equal(0);
  });

  it('kill -9 under load: the database ends too, and the next start has every acknowledged update', async () => {
    const first = await firstStart(folder);
    const callers = load([first], 8);
    await callers.first;
    await first.process.stop('SIGKILL');
    const answers = await callers.stop();

    const second = await listeningService({ DATA_DIR: folder.path });
    expect((await call({ ...first, base: second.base, address: 'https://example.com/' })).status).to.equal(
      200,
    );
    expect(await historyRows(folder.path)).to.be.at.least(acknowledged(answers) + 1);
    await second.process.stop('SIGKILL');
    await eventually('a database that has ended', async () =>
      expect(await processesOf(folder.path)).to.deep.equal([]),
    );
  });

  it('two first starts at once: one serves, the other says that the folder is in use', async () => {
    const both = [startService({ DATA_DIR: folder.path }), startService({ DATA_DIR: folder.path })];
    const refused = await Promise.race(both.map((one) => one.ended.then(() => one)));
    expect(refused.child.exitCode).to.equal(1);
    expect(refused.errors.trim().split('\n')).to.have.length(1);
    const serves = both.find((one) => one !== refused) as RunningProcess;
    const { port } = await serves.event('listening');
    expect(refused.errors).to.match(new RegExp(`in use .*${serves.child.pid}`));
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).to.equal(404);
    expect((await serves.stop()).code).to.equal(0);
    expect(await processesOf(folder.path)).to.deep.equal([]);
  });

  it('a database that dies: 200 or 503 only, one line says so, exit code 1; the next start recovers', async () => {
    const service = await firstStart(folder);
    const callers = load([service], 8);
    await callers.first;
    const { processId } = await service.process.event('database-started');
    process.kill(Number(processId), 'SIGKILL');
    expect((await service.process.ended).code).to.equal(1);
    const answers = await callers.stop();
    const { err } = await service.process.event('failed');
    expect((err as Error).message).to.match(/^The embedded database in .* ended by itself \(SIGKILL\): see /);
    expect(service.process.log.filter(({ event }) => event === 'failed')).to.have.length(1);
    const seen = new Set(answers.map(({ status }) => status).filter(Boolean));
    expect([...seen].filter((status) => status !== 200 && status !== 503)).to.deep.equal([]);

    const second = await listeningService({ DATA_DIR: folder.path });
    expect(await historyRows(folder.path)).to.be.at.least(acknowledged(answers));
    expect((await second.process.stop()).code).to.equal(0);
  });
});

async function historyRows(folder: string): Promise<number> {
  const database = await openOwnDatabase({ folder });
  const [{ count }] = await query(
    database.address('superuser'),
    'select count(*)::int as count from campaign_mirror.mirror_history',
  );
  await database.close();
  return count;
}
