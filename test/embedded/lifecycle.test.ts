import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, rename, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { databaseOsUser, surroundings } from '../../packages/embedded-postgres/src/programs/os-user.ts';
import {
  clearError,
  type Opened,
  pgdataOf,
  query,
  Sandbox,
  serverOf,
} from '../support/embedded/embedded-sandbox.ts';
import { eventually } from '../support/eventually.ts';

describe('the life of the embedded database', () => {
  const sandbox = new Sandbox();
  let folder: string;
  let pgdata: string;
  let lockFile: string;
  /** What an earlier start left in it. */
  let left: string;

  before('in a folder with blanks and quotes, by a relative path', async () => {
    folder = await sandbox.folder('my data\'s "folder"');
    pgdata = pgdataOf(folder);
    lockFile = join(pgdata, 'postmaster.pid');
    const database = await sandbox.open(relative(process.cwd(), folder));
    await query(database.address('superuser'), 'create table kept as select 7 as number');
    left = await readFile(lockFile, 'utf8');
    await database.close();
    await database.close();
    expect(database.events).deep.equal(['starting', 'started', 'stopped']);
    expect(await serverOf(folder)).equal(undefined);
  });
  after(() => sandbox.clean());

  const numbers = async (database: Opened) =>
    (await query(database.address('superuser'), 'select number from kept')).map(({ number }) => number);
  async function opens(): Promise<void> {
    const database = await sandbox.open(folder);
    expect(await numbers(database)).include(7);
    await database.close();
  }

  it('says after a while that it waits for another program, and the wait can be given up', async () => {
    const first = await sandbox.open(folder);
    const controller = new AbortController();
    const waiting = sandbox.open(folder, {
      service: true,
      signal: controller.signal,
      onEvent: (event, { processId }) => controller.abort(`${event} ${processId}`),
    });
    expect(await waiting.catch((reason) => reason)).equal(`awaited ${process.pid}`);
    await first.close();
  });

  it('ends by itself when its process is killed, and the next one has it with all its data', async () => {
    const member = sandbox.member(folder);
    const { address } = await member.said;
    if (!address) throw new Error('no address');
    await query(address, 'insert into kept values (8)');
    const server = await serverOf(folder);
    await member.kill();
    const database = await sandbox.open(folder);
    expect(await serverOf(folder)).not.equal(server);
    expect(await numbers(database)).include(8);
    await database.close();
  });

  it('that dies says so once, and the next start recovers, as soon as what is left of it has ended', async () => {
    const database = await sandbox.open(folder);
    const superuser = database.address('superuser');
    await query(superuser, 'insert into kept values (9)');
    const checkpointer = "select pid from pg_stat_activity where backend_type = 'checkpointer'";
    const [{ pid }] = await query(superuser, checkpointer);
    process.kill(pid, 'SIGSTOP');
    process.kill((await serverOf(folder)) ?? 0, 'SIGKILL');
    expect((await database.lost).message).match(
      /^The embedded database in .* ended by itself \(SIGKILL\): .*\.$/,
    );
    await database.close();
    expect(database.events).deep.equal(['starting', 'started']);
    const opening = sandbox.open(folder);
    await eventually('a refusal', async () =>
      expect(await readFile(`${folder}/cluster/postgresql.log`, 'utf8')).match(/still in use/),
    );
    process.kill(pid, 'SIGCONT');
    const again = await opening;
    expect(await numbers(again)).include(9);
    await again.close();
  });

  it('whose data went away under it ends with one line at the next start', async () => {
    await rename(pgdata, `${pgdata}.away`);
    expect(await clearError(sandbox.open(folder))).contain('is not a whole database of Campaign Mirror');
    await rename(`${pgdata}.away`, pgdata);
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
    expect((await stat(`/proc/${server}`)).uid).equal((await stat(pgdata)).uid);
    const expected = {
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      TimeZone: 'UTC',
    };
    const settings = 'select name, setting from pg_settings where name = any($1)';
    const rows = await query(database.address('superuser'), settings, [Object.keys(expected)]);
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).deep.equal(expected);
    await database.close();
  });

  it('starts where the lock file names a process that is another program now, which is left alone', async () => {
    // Of the database's OS user: any other PostgreSQL itself takes for dead.
    const user = await databaseOsUser(pgdata);
    const foreigner = spawn('/bin/sleep', ['600'], { ...surroundings(user), stdio: 'ignore' });
    await once(foreigner, 'spawn');
    await writeFile(lockFile, left.replace(/^\d+/, String(foreigner.pid)));
    await opens();
    expect([foreigner.exitCode, foreigner.signalCode]).deep.equal([null, null]);
    foreigner.kill('SIGKILL');
  });

  it('starts where the lock file is empty, after a loss of power, and empties a large log', async () => {
    await writeFile(lockFile, '');
    await utimes(lockFile, 1, 1);
    const log = join(folder, 'cluster', 'postgresql.log');
    await truncate(log, 17 * 1024 * 1024);
    await opens();
    expect((await stat(log)).size).below(10_000);
  });

  it('of a folder that was copied is another one, on another port', async () => {
    const copy = join(dirname(folder), 'copy');
    const copying = spawn('cp', ['-a', folder, copy]);
    expect(await once(copying, 'exit')).deep.equal([0, null]);
    const original = await sandbox.open(folder);
    await cp(lockFile, join(pgdataOf(copy), 'postmaster.pid'));
    const second = await sandbox.open(copy);
    expect(second.address('owner').port).not.equal(original.address('owner').port);
    await original.close();
    await second.close();
  });

  it('does not follow a symbolic link in place of a file of ours', async () => {
    for (const name of ['lock', 'cluster/postgresql.log']) {
      const file = join(folder, name);
      await rm(file);
      await symlink(join(folder, 'elsewhere'), file);
      expect(await clearError(sandbox.open(folder))).contain(file);
      await rm(file);
    }
  });
});
