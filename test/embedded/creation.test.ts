import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EmbeddedError } from '@campaign-mirror/embedded-postgres';
import { expect } from 'chai';
import { databaseOsUser } from '../../packages/embedded-postgres/src/server/programs.ts';
import { pgdataOf, sandbox } from '../support/embedded/embedded-sandbox.ts';
import { eventually, rejection } from '../support/promises.ts';

const modeOf = async (path: string) => {
  const { mode, uid } = await stat(path);
  return `${(mode & 0o777).toString(8)} ${uid}`;
};

describe('the embedded database is created whole, and only its user can read it', () => {
  const place = sandbox();

  async function created(folder: string): Promise<void> {
    const database = await place.open(folder);
    expect(await database.query('select 1 as one')).deep.equal([{ one: 1 }]);
    await database.close();
  }

  it('after a kill at any time, the next start removes the rest and begins again', async () => {
    const folder = await place.folder('my data\'s "folder"');
    const clusters = async () => {
      const names = await readdir(folder).catch((): string[] => []);
      return names.filter((name) => name.startsWith('cluster'));
    };
    const killed = new Set<string>();
    for (const reached of ['pgdata', 'pgdata/global/pg_control', 'pgdata/base/4']) {
      const kill = place.member(folder);
      await eventually(`a draft with ${reached}`, async () => {
        const drafts = (await clusters()).filter((name) => !killed.has(name));
        expect(drafts.filter((name) => existsSync(join(folder, name, reached)))).not.empty;
      });
      await kill();
      for (const name of await clusters()) killed.add(name);
      expect([...killed]).not.include('cluster');
    }
    await created(folder);
    expect(await clusters()).deep.equal(['cluster']);
  });

  it('under any umask, its folders and files have the modes that it needs', async () => {
    const folder = await place.folder('deep/data');
    const umask = process.umask(0o077);
    try {
      await created(folder);
    } finally {
      process.umask(umask);
    }
    const own = process.getuid?.();
    for (const path of [dirname(folder), folder, join(folder, 'cluster')])
      expect(await modeOf(path), path).equal(`${own === 0 ? '711' : '700'} ${own}`);
    const user = await databaseOsUser(pgdataOf(folder));
    expect(await modeOf(pgdataOf(folder))).equal(`700 ${user?.uid ?? own}`);
    for (const name of ['lock', 'cluster/postgresql.log', 'cluster/passwords.json'])
      expect(await modeOf(join(folder, name)), name).equal(`600 ${own}`);
  });

  it('a cluster of another version, damaged or incomplete, is refused in one line', async () => {
    const folder = await place.folder();
    await created(folder);
    const version = join(pgdataOf(folder), 'PG_VERSION');
    const passwords = join(folder, 'cluster', 'passwords.json');
    const access = join(pgdataOf(folder), 'pg_hba.conf');
    const faults: [path: string, content: string, message: RegExp][] = [
      [version, '15\n', /was made by PostgreSQL 15, .* brings PostgreSQL \d+, and nothing was changed/],
      [passwords, '{"superuser": "x', /is not a whole database/],
      [access, 'nonsense\n', /cannot be used.* \(could not load .*pg_hba.conf.*\): see .*postgresql\.log/],
    ];
    for (const [path, content, message] of faults) {
      const kept = await readFile(path, 'utf8');
      await writeFile(path, content);
      expect(await rejection(place.open(folder)))
        .instanceOf(EmbeddedError)
        .property('message')
        .match(message);
      await writeFile(path, kept);
    }
    await created(folder);
    const half = await place.folder();
    await mkdir(join(half, 'cluster'), { recursive: true, mode: 0o755 });
    expect(await rejection(place.open(half)))
      .property('message')
      .contain('is not a whole database');
  });
});
