import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { serviceCore } from './cores.ts';
import type { Cleanup } from './run.ts';

/** Milliseconds that a process may take until it listens, and until it has ended. */
const longest = { start: 30_000, end: 15_000 };

export interface Running {
  readonly processId: number;
  /** Those that share its port. */
  readonly others?: readonly number[];
  readonly port: number;
  /** Resolves when it has ended; what was asked of it is done then. */
  end(): Promise<void>;
}

export interface Program {
  /** From the folder of the benchmarks. */
  readonly script: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly nodeOptions?: readonly string[];
  /** Which others listen on already. */
  readonly port?: number;
}

/**
 * Starts a service on a free port and waits until it accepts connections. Its standard output, where it logs, goes
 * nowhere.
 */
export async function startService(
  { script, environment, nodeOptions = [], port: shared }: Program,
  isDivided: boolean,
  cleanup: Cleanup,
): Promise<Running> {
  const port = shared ?? (await freePort());
  const node = [process.execPath, ...nodeOptions, resolve(import.meta.dirname, '..', script)];
  const [command = '', ...words] = isDivided ? ['taskset', '-c', serviceCore, ...node] : node;
  const child = spawn(command, words, {
    env: { PATH: process.env.PATH ?? '', PORT: String(port), ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const end = async () => {
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), longest.end);
    await ended;
    clearTimeout(kill);
  };
  cleanup.push(end);
  for (const deadline = Date.now() + longest.start; !(await accepts(port)); await pause(50))
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${script} does not listen`);
  return { processId: child.pid as number, port, end };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const accepted = await once(socket, 'connect').catch(() => undefined);
  socket.destroy();
  return accepted !== undefined;
}
