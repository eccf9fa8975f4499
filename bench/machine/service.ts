import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { type Cleanup, serviceCore } from './machine.ts';

/** Time limits for the start and the end of a process, in milliseconds. */
const limits = { start: 30_000, end: 15_000 };

export interface Running {
  readonly processId: number;
  /** The processes that share its port. */
  readonly others?: readonly number[];
  readonly port: number;
  /** Resolves when the process has ended: its requests are done then. */
  end(): Promise<void>;
}

export interface Program {
  /** From the folder of the benchmarks. */
  readonly script: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly nodeOptions?: readonly string[];
  /** The port of a running process, to share it. */
  readonly port?: number;
}

/** Starts a service on a free port, without its log, and waits until it accepts connections. */
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
    const kill = setTimeout(() => child.kill('SIGKILL'), limits.end);
    await ended;
    clearTimeout(kill);
  };
  cleanup.push(end);
  for (const deadline = Date.now() + limits.start; !(await accepts(port)); await pause(50))
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${script} does not listen`);
  return { processId: child.pid as number, port, end };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const accepted = await once(socket, 'connect').catch(() => undefined);
  socket.destroy();
  return accepted !== undefined;
}
