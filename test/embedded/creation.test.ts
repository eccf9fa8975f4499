import { chown, cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EmbeddedError } from '@campaign-mirror/embedded-postgres';
import { expect } from 'chai';
import { loggedSince } from '../../packages/embedded-postgres/src/cluster/server-log.ts';
import { findBinaries, runnableBinaries } from '../../packages/embedded-postgres/src/programs/binaries.ts';
import { fileTrouble } from '../../packages/embedded-postgres/src/programs/errors.ts';
import { databaseOsUser } from '../../packages/embedded-postgres/src/programs/os-user.ts';
import { clearError, isRoot, pgdataOf, query, Sandbox, until } from '../support/embedded/embedded-sandbox.ts';

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe('the creation of the embedded database', () => {
  const sandbox = new Sandbox();
  after(() => sandbox.clean());

  it('is done once when four processes come first at the same time', async () => {
    const folder = await sandbox.folder();
    const members = [1, 2, 3, 4].map(() => sandbox.member(folder));
    const opened = await Promise.all(members.map(({ record }) => record.next('open')));
    expect(new Set(opened.map(({ address }) => JSON.stringify(address)))).property('size', 1);
    const events = members.flatMap(({ record }) => record.names());
    expect(events.filter((event) => event === 'created')).length(1);
    expect(events.filter((event) => event === 'started')).length(1);
    await Promise.all(members.map((member) => member.order('leave')));
    expect(await readdir(folder)).deep.equal(['cluster']);
    expect((await readdir(join(folder, 'cluster'))).sort()).deep.equal(['logs', 'passwords.json', 'pgdata']);
  });

  it('survives a kill at any time: the rest is swept and the next one starts afresh', async () => {
    const folder = await sandbox.folder();
    for (const reached of ['pgdata', 'pgdata/PG_VERSION', 'pgdata/global/pg_control', 'pgdata/base/4']) {
      const member = sandbox.member(folder);
      await until(`a draft with ${reached}`, async () => {
        const names = (await readdir(folder).catch(() => [])).filter((name) =>
          name.includes(`-${member.process.pid}-`),
        );
        const seen = names.map((name) => stat(join(folder, name, reached)).catch(() => undefined));
        return (await Promise.all(seen)).find((one) => one !== undefined);
      });
      await member.kill();
      expect((await readdir(folder)).some((name) => name.startsWith('cluster.new-'))).equal(true);
      expect(await readdir(folder)).not.include('cluster');
    }
    const database = await sandbox.open(folder);
    expect(await query(database.address('owner'), 'select 1 as one')).deep.equal([{ one: 1 }]);
    await until('a swept folder', async () => (await readdir(folder)).length === 1 || undefined);
    await database.leave();
  });

  it('gives every part the rights it needs, under a umask of 077 too, and leaves those of others alone', async () => {
    const folder = await sandbox.folder('deep/inside/data');
    const foreign = dirname(dirname(dirname(folder)));
    const umask = process.umask(0o077);
    try {
      const database = await sandbox.open(folder, { settings: {} });
      await database.leave();
    } finally {
      process.umask(umask);
    }
    const passage = isRoot ? '711' : '700';
    for (const ours of [dirname(dirname(folder)), dirname(folder), folder, join(folder, 'cluster')])
      expect(await modeOf(ours), ours).equal(passage);
    expect(await modeOf(foreign)).equal('711');
    expect(await modeOf(pgdataOf(folder))).equal('700');
    expect(await modeOf(join(folder, 'cluster', 'logs'))).equal('700');
    const passwords = join(folder, 'cluster', 'passwords.json');
    expect(await modeOf(passwords)).equal('600');
    expect((await stat(passwords)).uid).equal(process.getuid?.());
    const user = await databaseOsUser(pgdataOf(folder));
    expect((await stat(pgdataOf(folder))).uid).equal(user?.uid ?? process.getuid?.());
  });

  it('does not change the rights of a data folder that was there', async () => {
    const folder = await sandbox.folder();
    await mkdir(folder, 0o755);
    await (await sandbox.open(folder)).leave();
    expect(await modeOf(folder)).equal('755');
  });

  it('says which folder bars the way of the OS user, and touches nothing', async () => {
    const closed = await sandbox.folder('closed');
    await mkdir(closed, isRoot ? 0o700 : 0o500);
    const message = await clearError(sandbox.open(join(closed, 'data')));
    const user = await databaseOsUser('');
    if (isRoot) {
      expect(message).equal(
        `The embedded database does not run as root but as the OS user ${user?.name}, who cannot enter ${closed}: choose another folder with DATA_DIR, run as an ordinary user, or set DATABASE_URL to use a PostgreSQL of your own.`,
      );
    } else {
      console.warn(
        'Not root: that the OS user of the database is barred was tested on a folder of ours instead.',
      );
      expect(message).contain(`${closed}`).contain('EACCES').contain('DATA_DIR');
    }
    expect(await modeOf(closed)).equal(isRoot ? '700' : '500');
    expect(await readdir(closed)).deep.equal([]);
  });

  it('who is not root runs it; as root, the owner of the data does, whoever that is', async () => {
    const folder = await sandbox.folder('of another');
    await mkdir(folder);
    if (!isRoot) {
      expect(await databaseOsUser(folder)).equal(undefined);
      return;
    }
    const owners = [];
    for (const uid of [65534, 54321, 0]) {
      await chown(folder, uid, uid);
      owners.push(await databaseOsUser(folder));
    }
    expect(owners[0]).deep.equal({ name: 'nobody', uid: 65534, gid: 65534 });
    expect(owners[1]).deep.equal({ name: 'number 54321', uid: 54321, gid: 54321 });
    expect(owners[2]).deep.equal(await databaseOsUser(''));
  });

  it('says that its programs cannot be run, and why', async () => {
    const user = await databaseOsUser('');
    const folder = await sandbox.folder();
    const broken = join(dirname(folder), 'postgres');
    await writeFile(broken, '#!/bin/sh\necho "no such library" >&2\nexit 127\n', { mode: 0o755 });
    const message = await clearError(
      runnableBinaries({ postgres: broken, initdb: broken }, user, folder, folder),
    );
    expect(message).contain(broken).contain('no such library').contain('DATABASE_URL');
    const missing = runnableBinaries({ postgres: `${broken}x`, initdb: '' }, user, folder, folder);
    expect(await clearError(missing)).contain('ENOENT');
  });

  it('is refused on a platform without binaries', () => {
    for (const [platform, arch] of [
      ['win32', 'x64'],
      ['linux', 'mips'],
      ['sunos', 'x64'],
    ] as const)
      expect(() => findBinaries(platform, arch)).throw(EmbeddedError, /set DATABASE_URL/);
  });

  it('is refused in one line on a file, a folder without rights, and a disk without space', async () => {
    const file = await sandbox.folder();
    await writeFile(file, 'a file');
    expect(await clearError(sandbox.open(file))).contain(`The data folder ${file} cannot be used (EEXIST)`);
    expect(await clearError(sandbox.open(join(file, 'below'))))
      .contain(`(EEXIST at ${file})`)
      .contain('DATA_DIR');
    expect(await clearError(sandbox.open(join(dirname(file), 'x'.repeat(300))))).contain('ENAMETOOLONG');
    expect(await clearError(sandbox.open('/proc/data'))).match(/\((ENOENT|EACCES|EPERM)/);

    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    expect(fileTrouble(full, '/data'))
      .instanceOf(EmbeddedError)
      .property('message')
      .contain('no space is left');

    const folder = await sandbox.folder();
    const limited = sandbox.member(folder, 'ulimit -f 500;');
    const { failed, name } = await limited.record.next('failed');
    expect(name).equal('EmbeddedError');
    expect(failed).match(/^The embedded database cannot be created in .*File too large.*DATABASE_URL.*\.$/);
    expect(await readdir(folder)).deep.equal([]);
  });

  it('is refused in one line where the cluster is of another version, not whole, or lacks its passwords', async () => {
    const folder = await sandbox.folder();
    await (await sandbox.open(folder)).leave();
    // The server's last words are written by a process that outlives it for a moment.
    const logs = join(folder, 'cluster', 'logs');
    await until('the end of the log', async () => {
      const log = await loggedSince(logs, new Map());
      return log.endsWith('database system is shut down\n') || undefined;
    });
    const version = join(pgdataOf(folder), 'PG_VERSION');
    const ours = await readFile(version, 'utf8');
    await writeFile(version, '15\n');
    const before = await snapshot(folder);
    expect(await clearError(sandbox.open(folder))).equal(
      `The data folder ${folder} was made by PostgreSQL 15, this version of Campaign Mirror brings PostgreSQL ${ours.trim()}, and nothing was changed: run the version of Campaign Mirror that made it, or start it with PostgreSQL 15, copy it with that version's pg_dump and load the copy into a new data folder (DATA_DIR) or your own PostgreSQL (DATABASE_URL).`,
    );
    expect(await snapshot(folder)).deep.equal(before);
    await writeFile(version, ours);

    const passwords = join(folder, 'cluster', 'passwords.json');
    const kept = join(folder, 'kept');
    await cp(passwords, kept);
    await writeFile(passwords, '{"superuser": "x"}');
    expect(await clearError(sandbox.open(folder)))
      .contain('damaged')
      .contain(passwords);
    await writeFile(passwords, (await readFile(kept, 'utf8')).replace(/(superuser": ")./, '$1!'));
    const wrong = await clearError(sandbox.open(folder));
    expect(wrong).contain('refuses the password').not.contain('!');
    await cp(kept, passwords);
    await (await sandbox.open(folder)).leave();

    const half = await sandbox.folder();
    await mkdir(join(half, 'cluster'), { recursive: true, mode: 0o755 });
    expect(await clearError(sandbox.open(half))).contain('is not a whole database of Campaign Mirror');
  });

  it('tells the last line of the log when the server does not start, and starts when that is fixed', async () => {
    const folder = await sandbox.folder();
    await (await sandbox.open(folder)).leave();
    const message = await clearError(sandbox.open(folder, { settings: { max_connections: 'many' } }));
    expect(message).match(
      /does not start \(invalid value for parameter "max_connections": "many"\): see .*logs/,
    );
    const access = join(pgdataOf(folder), 'pg_hba.conf');
    const kept = await readFile(access, 'utf8');
    await writeFile(access, 'nonsense\n');
    expect(await clearError(sandbox.open(folder)))
      .contain('does not start (could not load')
      .contain('pg_hba.conf');
    await writeFile(access, kept);
    await (await sandbox.open(folder)).leave();
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
