import {
  chmod,
  chown,
  cp,
  lchown,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EmbeddedError } from '@campaign-mirror/embedded-postgres';
import { expect } from 'chai';
import { fileTrouble } from '../../packages/embedded-postgres/src/programs/errors.ts';
import { expectNoPlantedLink } from '../../packages/embedded-postgres/src/programs/folders.ts';
import { databaseOsUser } from '../../packages/embedded-postgres/src/programs/os-user.ts';
import { findPrograms } from '../../packages/embedded-postgres/src/programs/programs.ts';
import { clearError, isRoot, pgdataOf, query, Sandbox, until } from '../support/embedded/embedded-sandbox.ts';

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe('the creation of the embedded database', () => {
  const sandbox = new Sandbox();
  after(() => sandbox.clean());

  it('is done once when four processes come first at the same time', async () => {
    const folder = await sandbox.folder();
    const members = [1, 2, 3, 4].map(() => sandbox.member(folder));
    const opened = await Promise.all(
      members.map(async (member) => {
        const { address } = await member.said;
        await member.close();
        return address?.password;
      }),
    );
    expect(new Set(opened)).property('size', 1);
    expect((await readdir(folder)).sort()).deep.equal(['cluster', 'lock', 'lock.owner']);
    const inside = await readdir(join(folder, 'cluster'));
    expect(inside.sort()).deep.equal(['passwords.json', 'pgdata', 'postgresql.log']);
  });

  it('survives a kill at any time: the next one removes the rest, and starts afresh', async () => {
    const folder = await sandbox.folder();
    const drafts = async () =>
      (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('cluster.new-'));
    const killed: string[] = [];
    for (const reached of ['pgdata', 'pgdata/PG_VERSION', 'pgdata/global/pg_control', 'pgdata/base/4']) {
      const member = sandbox.member(folder);
      await until(`a draft with ${reached}`, async () => {
        const names = (await drafts()).filter((name) => !killed.includes(name));
        const seen = names.map((name) => stat(join(folder, name, reached)).catch(() => undefined));
        return (await Promise.all(seen)).find((one) => one !== undefined);
      });
      await member.kill();
      killed.push(...(await drafts()));
      expect(await readdir(folder)).not.include('cluster');
    }
    const database = await sandbox.open(folder);
    expect(await query(database.address('owner'), 'select 1 as one')).deep.equal([{ one: 1 }]);
    await database.close();
    expect((await readdir(folder)).filter((name) => name.startsWith('cluster'))).deep.equal(['cluster']);
  });

  it('gives every part the rights it needs, under a umask of 077 too, and leaves those of others alone', async () => {
    const folder = await sandbox.folder('deep/inside/data');
    const foreign = dirname(dirname(dirname(folder)));
    const umask = process.umask(0o077);
    try {
      await (await sandbox.open(folder, { settings: {} })).close();
    } finally {
      process.umask(umask);
    }
    const passage = isRoot ? '711' : '700';
    for (const ours of [dirname(dirname(folder)), dirname(folder), folder, join(folder, 'cluster')])
      expect(await modeOf(ours), ours).equal(passage);
    expect(await modeOf(foreign)).equal('711');
    expect(await modeOf(pgdataOf(folder))).equal('700');
    for (const name of ['lock', 'cluster/postgresql.log', 'cluster/passwords.json']) {
      expect(await modeOf(join(folder, name))).equal('600');
      expect((await stat(join(folder, name))).uid).equal(process.getuid?.());
    }
    const user = await databaseOsUser(pgdataOf(folder));
    expect((await stat(pgdataOf(folder))).uid).equal(user?.uid ?? process.getuid?.());
  });

  it('does not change the rights of a data folder that was there', async () => {
    const folder = await sandbox.folder();
    await mkdir(folder, 0o755);
    await (await sandbox.open(folder)).close();
    expect(await modeOf(folder)).equal('755');
  });

  it('says that the OS user may not go there, and leaves no database', async () => {
    const closed = await sandbox.folder('closed');
    await mkdir(closed, isRoot ? 0o700 : 0o500);
    const message = await clearError(sandbox.open(join(closed, 'data')));
    const user = await databaseOsUser('');
    expect(message)
      .contain(closed)
      .match(/permission denied/i)
      .contain('DATA_DIR');
    if (isRoot) expect(message).contain(`as the OS user ${user?.name} because it cannot run as root`);
    expect(await readdir(join(closed, 'data')).catch(() => [])).not.contain('cluster');
  });

  it('who is not root runs it; as root, the owner of the data does, whoever that is', async () => {
    const folder = await sandbox.folder('of another');
    await mkdir(folder);
    if (!isRoot) {
      expect(await databaseOsUser(folder)).equal(undefined);
      return;
    }
    await chown(folder, 54321, 54321);
    expect(await databaseOsUser(folder)).include({ uid: 54321, gid: 54321 });
    await chown(folder, 0, 0);
    expect(await databaseOsUser(folder)).deep.equal(await databaseOsUser(''));
  });

  it('does not follow a symbolic link of somebody else in a folder where all may write', async () => {
    if (!isRoot) return;
    const shared = await sandbox.folder('shared');
    await mkdir(shared);
    await symlink(dirname(shared), join(shared, 'planted'));
    const through = join(shared, 'planted', 'data');
    await expectNoPlantedLink(through);
    await chmod(shared, 0o1777);
    await lchown(join(shared, 'planted'), 65534, 65534);
    expect(await clearError(sandbox.open(through))).contain('is not followed');
  });

  it('is refused on a platform without binaries', async () => {
    for (const platform of ['win32-x64', 'linux-mips', 'sunos-x64'])
      expect(await clearError(findPrograms(platform))).contain('set DATABASE_URL');
  });

  it('is refused in one line on a file, a folder without rights, and a disk without space', async () => {
    const file = await sandbox.folder();
    await writeFile(file, 'a file');
    expect(await clearError(sandbox.open(file))).contain(`The data folder ${file} cannot be used (EEXIST`);
    expect(await clearError(sandbox.open(join(file, 'below'))))
      .contain('EEXIST')
      .contain('DATA_DIR');
    expect(await clearError(sandbox.open(join(dirname(file), 'x'.repeat(300))))).contain('ENAMETOOLONG');
    expect(await clearError(sandbox.open('/proc/data'))).match(/\((ENOENT|EACCES|EPERM)/);

    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { syscall: 'write' });
    expect(fileTrouble(full, '/data')).instanceOf(EmbeddedError).property('message').contain('no space left');

    const folder = await sandbox.folder();
    const { failed, name } = await sandbox.member(folder, { shell: 'ulimit -f 500;' }).said;
    expect(name).equal('EmbeddedError');
    expect(failed).match(/^The embedded database cannot be created in .*File too large.*DATABASE_URL.*\.$/);
    expect((await readdir(folder)).filter((one) => one.startsWith('cluster'))).deep.equal([]);
  });

  it('is refused in one line where the cluster is of another version, not whole, or lacks its passwords', async () => {
    const folder = await sandbox.folder();
    await (await sandbox.open(folder)).close();
    const version = join(pgdataOf(folder), 'PG_VERSION');
    const ours = await readFile(version, 'utf8');
    await writeFile(version, '15\n');
    const before = await snapshot(join(folder, 'cluster'));
    expect(await clearError(sandbox.open(folder))).equal(
      `The data folder ${folder} was made by PostgreSQL 15, this version of Campaign Mirror brings PostgreSQL ${ours.trim()}, and nothing was changed: run the version of Campaign Mirror that made it, or start it with PostgreSQL 15, copy it with that version's pg_dump and load the copy into a new data folder (DATA_DIR) or your own PostgreSQL (DATABASE_URL).`,
    );
    expect(await snapshot(join(folder, 'cluster'))).deep.equal(before);
    await writeFile(version, ours);

    const passwords = join(folder, 'cluster', 'passwords.json');
    await cp(passwords, join(folder, 'kept'));
    await writeFile(passwords, '{"superuser": "x"}');
    expect(await clearError(sandbox.open(folder)))
      .contain('damaged')
      .contain(passwords);
    await cp(join(folder, 'kept'), passwords);
    await (await sandbox.open(folder)).close();

    const half = await sandbox.folder();
    await mkdir(join(half, 'cluster'), { recursive: true, mode: 0o755 });
    expect(await clearError(sandbox.open(half))).contain('is not a whole database of Campaign Mirror');
  });

  it('tells the last line of the log when the server does not start, and starts when that is fixed', async () => {
    const folder = await sandbox.folder();
    await (await sandbox.open(folder)).close();
    const message = await clearError(sandbox.open(folder, { settings: { max_connections: 'many' } }));
    expect(message).match(
      /does not start( as the OS user number \d+)? \(invalid value for parameter "max_connections": "many"\): see .*postgresql.log/,
    );
    const access = join(pgdataOf(folder), 'pg_hba.conf');
    const kept = await readFile(access, 'utf8');
    await writeFile(access, 'nonsense\n');
    expect(await clearError(sandbox.open(folder))).match(
      /does not start( as the OS user number \d+)? \(could not load .*pg_hba.conf/,
    );
    await writeFile(access, kept);
    await (await sandbox.open(folder)).close();
  });
});

/** Every file's path, size and time of change. */
async function snapshot(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const lines = names.sort().map(async (name) => {
    const { size, mtimeMs, ctimeMs } = await stat(join(folder, name));
    return `${name} ${size} ${mtimeMs} ${ctimeMs}`;
  });
  return await Promise.all(lines);
}
