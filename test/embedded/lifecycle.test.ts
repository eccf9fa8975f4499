import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { databaseOsUser, processOptions } from '../../packages/embedded-postgres/src/server/programs.ts';
import { clearError, pgdataOf, Sandbox, serverOf } from '../support/embedded/embedded-sandbox.ts';
import { eventually } from '../support/promises.ts';

describe('the life of the embedded database', () => {
  const sandbox = new Sandbox();
  let folder: string;
  let lockFile: string;
  let logFile: string;
  /** What an earlier start left in the lock file. */
  let left: string;

  before('in a folder with blanks and quotes, by a relative path', async () => {
    folder = await sandbox.folder('my data\'s "folder"');
    lockFile = join(pgdataOf(folder), 'postmaster.pid');
    logFile = join(folder, 'cluster', 'postgresql.log');
    const database = await sandbox.open(relative(process.cwd(), folder));
    await database.query('create table kept as select 7 as number');
    left = await readFile(lockFile, 'utf8');
    await database.close();
    await database.close();
    expect(database.events).deep.equal(['starting', 'started', 'stopped']);
    expect(await serverOf(folder)).equal(undefined);
  });
  after(() => sandbox.clean());

  /** It starts, with this among its data. */
  async function opens(kept = 7): Promise<void> {
    const database = await sandbox.open(folder);
    expect(await database.query('select number from kept')).deep.include({ number: kept });
    await database.close();
  }

  it('that dies says so once, and the next start recovers, as soon as what is left of it has ended', async () => {
    const database = await sandbox.open(folder);
    await database.query('insert into kept values (9)');
    const checkpointer = "select pid from pg_stat_activity where backend_type = 'checkpointer'";
    const [{ pid }] = await database.query(checkpointer);
    process.kill(pid, 'SIGSTOP');
    process.kill((await serverOf(folder)) ?? 0, 'SIGKILL');
    const { message } = await database.lost;
    expect(message).match(/^The embedded database in .* ended by itself \(SIGKILL\): .*\.$/);
    await database.close();
    expect(database.events).deep.equal(['starting', 'started']);
    const opening = opens(9);
    const refused = async () => expect(await readFile(logFile, 'utf8')).match(/still in use/);
    await eventually('a refusal', refused);
    process.kill(pid, 'SIGCONT');
    await opening;
  });

  it('runs in a session of its own, without our environment, durable, on 127.0.0.1 only, and in UTC', async () => {
    process.env.SOMETHING_SECRET = 'something-secret';
    const database = await sandbox.open(folder, { settings: {} });
    delete process.env.SOMETHING_SECRET;
    const server = await serverOf(folder);
    const text = (await readFile(`/proc/${server}/stat`, 'utf8')).replace(/\(.*\)/, 'x');
    const [, , , , group, session] = text.split(' ').map(Number);
    expect([group, session]).deep.equal([server, server]);
    expect(await readFile(`/proc/${server}/environ`, 'utf8')).not.contain('something-secret');
    const { uid } = await stat(pgdataOf(folder));
    expect((await stat(`/proc/${server}`)).uid).equal(uid);
    const expected = {
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      TimeZone: 'UTC',
    };
    const settings = 'select name, setting from pg_settings where name = any($1)';
    const rows = await database.query(settings, [Object.keys(expected)]);
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).deep.equal(expected);
    await database.close();
  });

  it('starts where the lock file names another program, which is left alone', async () => {
    // Of the database's OS user: any other PostgreSQL itself takes for dead.
    const user = await databaseOsUser(pgdataOf(folder));
    const foreigner = spawn('/bin/sleep', ['600'], { ...processOptions(user), stdio: 'ignore' });
    await once(foreigner, 'spawn');
    await writeFile(lockFile, left.replace(/^\d+/, String(foreigner.pid)));
    await opens();
    expect([foreigner.exitCode, foreigner.signalCode]).deep.equal([null, null]);
    foreigner.kill('SIGKILL');
  });

  it('of a folder that was copied is another one, on another port', async () => {
    const copy = join(dirname(folder), 'copy');
    expect(await once(spawn('cp', ['-a', folder, copy]), 'exit')).deep.equal([0, null]);
    const original = await sandbox.open(folder);
    await cp(lockFile, join(pgdataOf(copy), 'postmaster.pid'));
    const second = await sandbox.open(copy);
    expect(second.address('owner').port).not.equal(original.address('owner').port);
    await original.close();
    await second.close();
  });

  it('does not follow a symbolic link in place of a file of ours', async () => {
    for (const file of [join(folder, 'lock'), logFile]) {
      await rm(file);
      await symlink(join(folder, 'elsewhere'), file);
      expect(await clearError(sandbox.open(folder))).contain(file);
      await rm(file);
    }
  });
});
