import { type ExecFileOptions, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import * as installed from '../../../packages/embedded-postgres/src/server/programs.ts';
import { RunningProcess } from '../process/service-process.ts';
import { sendSignal } from '../run-folder.ts';

/** How often a server that was killed is asked to start while what it left behind still ends. */
const starts = 500;

export type DedicatedServer = Awaited<ReturnType<typeof dedicatedServer>>;

interface Options {
  /** It keeps one in its data folder, whose path may be too long for it. */
  readonly socket?: boolean;
  /** The folder of other programs than those of the embedded database. */
  readonly folder?: string;
  /** Such as `max_prepared_transactions=10`. */
  readonly settings?: readonly string[];
  /** Makes what its data folder begins with, as a user of the OS; `initdb` does it otherwise. */
  readonly fill?: (data: string, as: ExecFileOptions) => Promise<void>;
}

/** A PostgreSQL of a test's own, to be stopped, killed and started again at will. Everybody may connect as anybody. */
export async function dedicatedServer({
  socket = false,
  folder = '',
  settings: own = [],
  fill,
}: Options = {}) {
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
  const settings = [
    `unix_socket_directories=${socket ? data : ''}`,
    'listen_addresses=127.0.0.1',
    // A server that is killed would leave it in the system's shared memory for ever.
    'dynamic_shared_memory_type=mmap',
    ...own,
  ].flatMap((setting) => ['-c', setting]);
  let server: RunningProcess | undefined;
  process.once('exit', () => server?.child.kill('SIGKILL'));

  const start = async (): Promise<void> => {
    const words = ['-D', data, '-p', String(port), ...settings];
    for (let tried = 1; ; tried++) {
      const one = new RunningProcess(spawn(join(bin, 'postgres'), words, options));
      server = one;
      try {
        return void (await one.says(
          () => /ready to accept (read-only )?connections/.exec(one.errors) ?? undefined,
        ));
      } catch (fault) {
        if (tried === starts) throw fault;
      }
    }
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = server;
    server = undefined;
    await ending?.stop(signal);
  };
  const tellAll = (signal: NodeJS.Signals): void => {
    const first = server?.child.pid;
    if (!first) return;
    // Linux has those whom it started in /proc.
    const others = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').split(' ').filter(Boolean);
    // First the one that starts the others.
    for (const id of [first, ...others.map(Number)]) sendSignal(id, signal);
  };
  await start();
  return {
    address: (user: string, database = 'postgres'): DatabaseAddress & { host: string; port: number } => ({
      host: '127.0.0.1',
      port,
      user,
      password: '',
      database,
    }),
    data,
    /** Writes a file of its data folder, to be read when it starts. */
    put: async (name: string, content: string): Promise<void> => {
      const path = join(data, name);
      await writeFile(path, content, { mode: 0o600 });
      if (user) await chown(path, user.uid, user.gid);
    },
    log: () => server?.errors ?? '',
    start,
    /** As a machine that stands still: connections stay open, nothing is answered. */
    freeze: () => tellAll('SIGSTOP'),
    thaw: () => tellAll('SIGCONT'),
    stop: () => end('SIGINT'),
    /** As a machine that loses its power: no farewell to anybody. */
    kill: () => end('SIGKILL'),
    remove: async (): Promise<void> => {
      tellAll('SIGCONT');
      await end('SIGQUIT');
      await rm(parent, { recursive: true, force: true });
    },
  };
}
