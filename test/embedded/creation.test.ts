import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { databaseOsUser } from '../../packages/embedded-postgres/src/server/programs.ts';
import { clearError, isRoot, pgdataOf, Sandbox } from '../support/embedded/embedded-sandbox.ts';
import { eventually } from '../support/promises.ts';

const rightsOf = async (path: string) => {
  const { mode, uid } = await stat(path);
  return `${(mode & 0o777).toString(8)} ${uid}`;
};

describe('the creation of the embedded database', () => {
  const sandbox = new Sandbox();
  after(() => sandbox.clean());

  const filesIn = async (folder: string) => (await readdir(folder).catch((): string[] => [])).sort();
  async function created(folder: string): Promise<void> {
    const database = await sandbox.open(folder);
    expect(await database.query('select 1 as one')).deep.equal([{ one: 1 }]);
    await database.close();
  }

  it('survives a kill at any time: the next one removes the rest, and starts afresh', async () => {
    const folder = await sandbox.folder();
    const drafts = async () => (await filesIn(folder)).filter((name) => name.startsWith('cluster.new-'));
    const killed = new Set<string>();
    for (const reached of ['pgdata', 'pgdata/PG_VERSION', 'pgdata/global/pg_control', 'pgdata/base/4']) {
      const member = sandbox.member(folder);
      await eventually(`a draft with ${reached}`, async () => {
        const names = (await drafts()).filter((name) => !killed.has(name));
        expect(names.filter((name) => existsSync(join(folder, name, reached)))).not.empty;
      });
      await member.kill();
      for (const name of await drafts()) killed.add(name);
      expect(await filesIn(folder)).not.include('cluster');
    }
    await created(folder);
    expect((await filesIn(folder)).filter((name) => name.startsWith('cluster'))).deep.equal(['cluster']);
  });

  it('gives every part the rights it needs, under a umask of 077 too, and leaves those of others alone', async () => {
    const folder = await sandbox.folder('deep/inside/data');
    const parent = dirname(folder);
    const foreign = dirname(dirname(parent));
    const before = await rightsOf(foreign);
    const umask = process.umask(0o077);
    try {
      await (await sandbox.open(folder, { settings: {} })).close();
    } finally {
      process.umask(umask);
    }
    const ours = process.getuid?.();
    for (const path of [dirname(parent), parent, folder, join(folder, 'cluster')])
      expect(await rightsOf(path), path).equal(`${isRoot ? '711' : '700'} ${ours}`);
    expect(await rightsOf(foreign)).equal(before);
    const user = await databaseOsUser(pgdataOf(folder));
    expect(await rightsOf(pgdataOf(folder))).equal(`700 ${user?.uid ?? ours}`);

    const open = await sandbox.folder();
    await mkdir(open, 0o755);
    await created(open);
    expect(await rightsOf(open)).equal(`755 ${ours}`);
    for (const name of ['lock', 'cluster/postgresql.log', 'cluster/passwords.json'])
      expect(await rightsOf(join(open, name)), name).equal(`600 ${ours}`);
  });

  it('is refused in one line where the cluster is of another version, not whole, damaged or set up wrongly', async () => {
    const folder = await sandbox.folder();
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
      expect(await clearError(sandbox.open(folder))).match(message);
      await writeFile(path, kept);
    }
    await created(folder);

    const half = await sandbox.folder();
    await mkdir(join(half, 'cluster'), { recursive: true, mode: 0o755 });
    expect(await clearError(sandbox.open(half))).contain('is not a whole database');
  });
});
