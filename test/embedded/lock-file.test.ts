import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { databaseOsUser, surroundings } from '../../packages/embedded-postgres/src/programs/os-user.ts';
import { clearError, pgdataOf, Sandbox } from '../support/embedded/embedded-sandbox.ts';

describe('what an earlier start of the embedded database left behind', () => {
  const sandbox = new Sandbox();
  let folder: string;
  let lockFile: string;
  let left: string;
  let foreigner: ChildProcess;

  before(async () => {
    folder = await sandbox.folder();
    lockFile = join(pgdataOf(folder), 'postmaster.pid');
    const database = await sandbox.open(folder);
    left = await readFile(lockFile, 'utf8');
    await database.close();
    // Of the database's OS user: any other PostgreSQL itself takes for dead.
    const user = await databaseOsUser(pgdataOf(folder));
    foreigner = spawn('/bin/sleep', ['600'], { ...surroundings(user), stdio: 'ignore' });
    await once(foreigner, 'spawn');
  });
  after(async () => {
    foreigner.kill('SIGKILL');
    await sandbox.clean();
  });

  const opens = async () => {
    const database = await sandbox.open(folder);
    await database.close();
  };

  it('may be a lock file with a process that has since become another program, which is left alone', async () => {
    await writeFile(lockFile, left.replace(/^\d+/, String(foreigner.pid)));
    await opens();
    expect([foreigner.exitCode, foreigner.signalCode]).deep.equal([null, null]);
  });

  it('may be an empty lock file, after a loss of power', async () => {
    await writeFile(lockFile, '');
    await utimes(lockFile, 1, 1);
    await opens();
  });

  it('may be a copied folder: both then have a database, on two ports', async () => {
    const copy = join(dirname(folder), 'copy');
    expect(spawnSync('cp', ['-a', folder, copy]).status).equal(0);
    const original = await sandbox.open(folder);
    await cp(lockFile, join(pgdataOf(copy), 'postmaster.pid'));
    const second = await sandbox.open(copy);
    expect(second.address('owner').port).not.equal(original.address('owner').port);
    await original.close();
    await second.close();
  });

  it('may be a large log, which starts anew', async () => {
    const log = join(folder, 'cluster', 'postgresql.log');
    await truncate(log, 17 * 1024 * 1024);
    await opens();
    expect((await stat(log)).size).below(10_000);
  });

  it('may be a symbolic link in place of a file of ours, which is not followed', async () => {
    const trap = await sandbox.folder('trap');
    await sandbox.open(trap).then((database) => database.close());
    for (const name of ['lock', 'cluster/postgresql.log']) {
      expect(spawnSync('rm', [join(trap, name)]).status).equal(0);
      await symlink(join(trap, 'elsewhere'), join(trap, name));
      expect(await clearError(sandbox.open(trap))).contain(join(trap, name));
      expect(spawnSync('rm', [join(trap, name)]).status).equal(0);
    }
  });
});
