import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { isFree } from '../../packages/embedded-postgres/src/cluster/port.ts';
import {
  dropStaleLockFile,
  livingPostmaster,
} from '../../packages/embedded-postgres/src/cluster/postmaster.ts';
import { trimLogs } from '../../packages/embedded-postgres/src/cluster/server-log.ts';
import { databaseOsUser } from '../../packages/embedded-postgres/src/programs/os-user.ts';
import { commandLine } from '../../packages/embedded-postgres/src/programs/process.ts';
import { surroundings } from '../../packages/embedded-postgres/src/programs/program.ts';
import { pgdataOf, Sandbox, signalServer } from '../support/embedded/embedded-sandbox.ts';

describe('the lock file of the embedded database', () => {
  const sandbox = new Sandbox();
  let folder: string;
  let pgdata: string;
  let lockFile: string;
  let left: string;
  let foreigner: ChildProcess;

  before(async () => {
    folder = await sandbox.folder();
    pgdata = pgdataOf(folder);
    lockFile = join(pgdata, 'postmaster.pid');
    const database = await sandbox.open(folder);
    left = await readFile(lockFile, 'utf8');
    await database.leave();
    // Of the database's OS user: any other PostgreSQL itself takes for dead.
    foreigner = spawn('/bin/sleep', ['600'], {
      ...surroundings(await databaseOsUser(pgdata)),
      stdio: 'ignore',
    });
    await once(foreigner, 'spawn');
  });
  after(async () => {
    foreigner.kill('SIGKILL');
    await sandbox.clean();
  });

  const opens = async () => {
    const database = await sandbox.open(folder);
    expect(database.record.names()).deep.equal(['starting', 'started']);
    await database.leave();
  };

  it('is left by a killed server, without harm', async () => {
    const database = await sandbox.open(folder, {
      bounds: { firstPauseMs: 600_000, longestPauseMs: 600_000 },
    });
    await signalServer(pgdata, 'SIGKILL');
    await database.leave();
    expect(await readFile(lockFile, 'utf8')).contain(pgdata);
    await opens();
  });

  it('may name a process that has since become another program, which is left alone', async () => {
    await writeFile(lockFile, left.replace(/^\d+/, String(foreigner.pid)));
    expect(await livingPostmaster(pgdata)).equal(undefined);
    await opens();
    expect(foreigner.exitCode).equal(null);
    expect(foreigner.signalCode).equal(null);
  });

  it('may be empty after a loss of power', async () => {
    await writeFile(lockFile, '');
    await opens();
  });

  it('may come from the folder that this one is a copy of: both then have a database, on two ports', async () => {
    const copy = join(dirname(folder), 'copy');
    expect(spawnSync('cp', ['-a', folder, copy]).status).equal(0);
    const original = await sandbox.open(folder);
    await cp(lockFile, join(pgdataOf(copy), 'postmaster.pid'));
    const second = await sandbox.open(copy);
    expect(second.record.names()).deep.equal(['starting', 'started']);
    expect(second.address('owner').port).not.equal(original.address('owner').port);
    await original.leave();
    await second.leave();
  });

  it('is judged by the command line of its process, which every platform tells alike', async () => {
    const database = await sandbox.open(folder);
    const living = await livingPostmaster(pgdata);
    for (const platform of ['darwin', process.platform])
      expect(await commandLine(living?.processId ?? 0, platform)).contain(` -D ${pgdata} `);
    await database.leave();
    expect(await commandLine(living?.processId ?? 0, 'darwin')).not.contain(pgdata);
  });

  it('stays when it is of a living server or of one that is about to write it', async () => {
    const database = await sandbox.open(folder);
    await dropStaleLockFile(pgdata);
    expect((await livingPostmaster(pgdata))?.status).equal('ready');
    await database.leave();
    await writeFile(lockFile, '');
    await dropStaleLockFile(pgdata);
    expect((await stat(lockFile)).size).equal(0);
    await utimes(lockFile, 1, 1);
    await dropStaleLockFile(pgdata);
    expect((await readdir(pgdata)).filter((name) => name.startsWith('postmaster.pid'))).deep.equal([]);
  });

  it('does not bind the port: where another program has it, a database without members takes a new one', async () => {
    const first = await sandbox.open(folder);
    const { port } = first.address('owner');
    await first.leave();
    expect(await isFree(port)).equal(true);
    const occupant = spawn(process.execPath, [
      '-e',
      `require('node:net').createServer().listen(${port}, '127.0.0.1', () => console.log('listening'))`,
    ]);
    await once(occupant.stdout, 'data');
    try {
      const second = await sandbox.open(folder);
      expect(second.address('owner').port).not.equal(port);
      await second.leave();
    } finally {
      occupant.kill('SIGKILL');
    }
  });

  it('is not the only file that could grow old: logs of last week or too large go before a start', async () => {
    const logs = join(folder, 'cluster', 'logs');
    const names = await readdir(logs);
    await writeFile(join(logs, 'postgresql-old.log'), 'old');
    const lastWeek = Date.now() / 1000 - 7 * 24 * 3600;
    await utimes(join(logs, 'postgresql-old.log'), lastWeek, lastWeek);
    await writeFile(join(logs, 'postgresql-large.log'), Buffer.alloc(65 * 1024 * 1024));
    await trimLogs(logs);
    expect(await readdir(logs)).deep.equal(names);
  });
});
