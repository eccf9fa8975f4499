import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@campaign-mirror/embedded-postgres';
import type { Cleanup } from './cleanup.ts';
import type { Cores } from './cores.ts';

/** Milliseconds that a process may take until it listens, and until it has ended. */
const longest = { start: 30_000, end: 15_000 };

export interface Running {
  readonly processId: number;
  readonly port: number;
  /** Resolves when it has ended; what was asked of it is done then. */
  end(): Promise<void>;
}

export interface Program {
  /** From the folder of the benchmarks. */
  readonly script: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly nodeOptions?: readonly string[];
}

/** Starts a service on a free port and waits until it accepts connections. Its standard output, where it logs, goes nowhere. */
export async function startService(
  program: Program,
  cores: Cores | undefined,
  cleanup: Cleanup,
): Promise<Running> {
  const { script, environment, nodeOptions = [] } = program;
  const port = await freePort();
  const node = [process.execPath, ...nodeOptions, resolve(import.meta.dirname, '..', script)];
  const [command = '', ...words] = cores ? ['taskset', '-c', String(cores.service), ...node] : node;
  const child = spawn(command, words, {
    env: { PATH: process.env.PATH ?? '', PORT: String(port), ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  cleanup.add(() => end(child));
  await once(child, 'spawn');
  for (const deadline = Date.now() + longest.start; !(await accepts(port)); await pause(50)) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${script} ended by itself`);
    if (Date.now() > deadline) throw new Error(`${script} does not listen`);
  }
  return { processId: child.pid as number, port, end: () => end(child) };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('connect', () => socket.destroy()).once('error', () => resolve(false));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), longest.end);
  await ended;
  clearTimeout(kill);
}
