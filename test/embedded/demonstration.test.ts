import { expect } from 'chai';
import { command, refused } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { emptyDatabase } from '../support/database/database-server.ts';
import { databaseOf, dataFolderOf } from '../support/process/lives.ts';
import { listeningService, type RunningProcess } from '../support/process/service-process.ts';

/** A printed command, read as the shell would. */
function readCurl(line: string) {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const after = (name: string) => words.flatMap((word, at) => (word === name ? [words[at + 1] ?? ''] : []));
  const headers = Object.fromEntries(after('-H').map((header) => header.split(': ') as [string, string]));
  const url = words.find((word) => word.startsWith('http')) ?? '';
  return { url, init: { method: after('-X')[0] ?? '', headers, body: after('-d')[0] ?? '' } };
}

const curls = (process: RunningProcess) =>
  process.output.split('\n').filter((line) => line.startsWith('curl '));
const greeted = (process: RunningProcess) =>
  process.says(() => /demo remove|key issue/.exec(process.output)?.[0] as string | undefined);

describe('the demonstration set', () => {
  const folder = dataFolderOf('test');
  const database = databaseOf('test', () => emptyDatabase('owner'));

  it('on the very first start: one curl command on one line answers 200, then 403, 404 and 422', async () => {
    const { process } = await listeningService({ DATA_DIR: folder.path });
    await greeted(process);
    const seen: number[] = [];
    for (const line of curls(process)) {
      const { url, init } = readCurl(line);
      seen.push((await fetch(url, init)).status);
    }
    expect(seen).to.deep.equal([200, 403, 404, 422]);

    const key = /cm_\w+/.exec(process.output)?.[0] ?? 'none';
    expect(JSON.stringify(process.log), 'the key is not in the log').not.to.include(key);
    expect((await process.stop()).code).to.equal(0);

    const again = (await listeningService({ DATA_DIR: folder.path })).process;
    expect(await greeted(again)).to.equal('key issue');
    expect(curls(again)).to.deep.equal([]);
    expect(again.output).to.include('./campaign-mirror key issue --owner N --name NAME');
    const removed = await command(['demo', 'remove', '--json'], { DATA_DIR: folder.path });
    expect(removed.output).to.equal('{"campaigns":4}\n');
    const noted = await command(['audit', '--limit', '5', '--json'], { DATA_DIR: folder.path });
    const acts = objectsOf(noted.output).map(({ act }) => act);
    expect(acts.toSorted()).to.deep.equal([...Array(4).fill('campaign-deleted'), 'key-revoked']);
    const { url, init } = readCurl(curls(process)[0] ?? '');
    const { port } = await again.event('listening');
    expect((await fetch(url.replace(/:\d+\//, `:${port}/`), init)).status, 'its key is revoked').to.equal(
      401,
    );
    await again.stop();

    const third = (await listeningService({ DATA_DIR: folder.path })).process;
    expect(await greeted(third), 'what was taken away stays away').to.equal('key issue');
    await third.stop();
  });

  it('demo create makes it in a database of your own, where there is nothing yet', async () => {
    const settings = { DATABASE_URL: database.url('operator') };
    await command(['migrate'], { DATABASE_URL: database.url('owner') });
    const service = await listeningService({
      ...settings,
      DATABASE_URL: database.url('service'),
      RUN_MIGRATIONS: 'false',
    });
    const made = await command(['demo', 'create', '--base', service.base], settings);
    expect(made.code, made.errors).to.equal(0);
    const [first = ''] = made.output.split('\n').filter((line) => line.startsWith('curl '));
    const { url, init } = readCurl(first);
    expect((await fetch(url, init)).status).to.equal(200);
    const again = await command(['demo', 'create'], settings);
    expect(again).to.deep.equal(
      refused('the database contains data, or contained some earlier: nothing was created\n'),
    );
  });

  const withoutOne: [why: string, settings: Record<string, string>][] = [['DEMO=off', { DEMO: 'off' }]];
  for (const [why, settings] of withoutOne) {
    it(`not with ${why}`, async () => {
      const { process } = await listeningService({ DATA_DIR: folder.path, ...settings });
      expect((await process.stop()).code).to.equal(0);
      expect(process.output).not.to.match(/curl|key issue/);
    });
  }

  it('not with DATABASE_URL, unless DEMO=on', async () => {
    const without = await listeningService({ DATABASE_URL: database.url('owner') });
    await without.process.stop();
    expect(without.process.output).not.to.match(/curl|key issue/);
    const { process } = await listeningService({ DATABASE_URL: database.url('owner'), DEMO: 'on' });
    expect(await greeted(process)).to.equal('demo remove');
    const { url, init } = readCurl(curls(process)[0] ?? '');
    expect((await fetch(url, init)).status).to.equal(200);
    await process.stop();
  });

  it('not where there is data', async () => {
    await command(['campaign', 'create', '--owner', '1'], { DATA_DIR: folder.path });
    const { process } = await listeningService({ DATA_DIR: folder.path });
    expect(await greeted(process)).to.equal('key issue');
    await process.stop();
  });
});
