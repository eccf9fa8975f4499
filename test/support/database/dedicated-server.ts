import { type ExecFileOptions, execFile, spawn } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import * as installed from '../../../packages/embedded-postgres/src/server/programs.ts';
import { RunningProcess } from '../process/service-process.ts';

/** Attempts to start after a kill, while the old processes still end. */
const starts = 500;

export type DedicatedServer = Awaited<ReturnType<typeof dedicatedServer>>;

interface Options {
  /** The folder of the programs; by default those of the embedded database. */
  readonly folder?: string;
  /** Such as `max_prepared_transactions=10`. */
  readonly settings?: readonly string[];
  /** Fills the data folder, as a user of the OS; by default `initdb` does. */
  readonly fill?: (data: string, as: ExecFileOptions) => Promise<void>;
}

/** A PostgreSQL server of one test. It trusts every connection. */
export async function dedicatedServer({ folder = '', settings = [], fill }: Options = {}) {
  const parent = await mkdtemp(join(tmpdir(), 'campaign-mirror-dedicated-'));
  await chmod(parent, 0o711);
  const data = join(parent, 'data');
  const user = await installed.databaseOsUser(data);
  const bin = folder ? join(folder, 'bin') : (await installed.openPrograms(user)).bin;
  await mkdir(data, 0o700);
  if (user) await chown(data, user.uid, user.gid);
  const as = user && { uid: user.uid, gid: user.gid };
  const options = { ...as, cwd: '/', env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' } };

  const making = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale', 'C', '-N'];
  if (fill) await fill(data, options);
  else await promisify(execFile)(join(bin, 'initdb'), making, options);

  const port = await freePort();
  const all = [
    'unix_socket_directories=',
    'listen_addresses=127.0.0.1',
    // A killed server would leave the system's shared memory behind.
    'dynamic_shared_memory_type=mmap',
    ...settings,
  ];
  const words = ['-D', data, '-p', String(port), ...all.flatMap((setting) => ['-c', setting])];
  let server: RunningProcess | undefined;
  process.once('exit', () => server?.child.kill('SIGKILL'));

  const start = async (attempts = starts): Promise<void> => {
    const one = new RunningProcess(spawn(join(bin, 'postgres'), words, options));
    server = one;
    const ready = /ready to accept (read-only )?connections/;
    await one
      .says(() => ready.exec(one.errors) ?? undefined)
      .catch((fault) => (attempts > 1 ? start(attempts - 1) : Promise.reject(fault)));
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = server;
    server = undefined;
    await ending?.stop(signal);
  };
  await start();
  return {
    address: (user: string, database = 'postgres'): DatabaseAddress & { host: string; port: number } => ({
      ...{ host: '127.0.0.1', port, user, password: '', database },
    }),
    data,
    /** Writes a file of the data folder, to be read at the next start. */
    put: async (name: string, content: string): Promise<void> => {
      const path = join(data, name);
      await writeFile(path, content, { mode: 0o600 });
      if (user) await chown(path, user.uid, user.gid);
    },
    log: () => server?.errors ?? '',
    start: () => start(),
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    remove: async (): Promise<void> => {
      await end('SIGQUIT');
      await rm(parent, { recursive: true, force: true });
    },
  };
}
