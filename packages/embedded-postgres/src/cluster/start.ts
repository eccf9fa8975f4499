import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedError, oneLine } from '../programs/errors.ts';
import { surroundings } from '../programs/program.ts';
import type { Cluster } from './cluster.ts';
import { livingPostmaster } from './postmaster.ts';
import { lastFatal, loggedSince, logSizes, trimLogs } from './server-log.ts';
import { type ServerSettings, serverArguments } from './server-settings.ts';

/** The result of a start. `rival`: another server runs; `orphans`: processes of a killed server still run. */
export type Start =
  | { kind: 'ready'; processId: number }
  | { kind: 'rival' | 'orphans' | 'port-taken' | 'failed'; because: string };

/** Crash recovery replays at most 1 GB of WAL; five minutes suffice even on a slow disk. */
const longestStartMs = 5 * 60_000;

/** Starts the cluster's server and waits until it accepts connections. When the signal aborts, it is stopped again. */
export async function startServer(
  cluster: Cluster,
  port: number,
  settings: ServerSettings,
  signal: AbortSignal,
): Promise<Start> {
  await trimLogs(cluster.logs);
  const before = await logSizes(cluster.logs);
  // Output before the server log begins goes to an unlinked file: a pipe would break when this process ends.
  const name = join(cluster.home, `start-${process.pid}-${randomBytes(4).toString('hex')}`);
  await using said = await open(name, 'wx+', 0o600);
  await rm(name);
  const child = spawn(cluster.binaries.postgres, serverArguments(cluster, port, settings), {
    ...surroundings(cluster.user),
    // Its own session: a terminal's Ctrl-C would otherwise reach it.
    detached: true,
    stdio: ['ignore', said.fd, said.fd],
  });
  child.unref();
  if (await becomesReady(cluster, child, signal)) return { kind: 'ready', processId: child.pid ?? 0 };
  const own = Buffer.alloc(64 * 1024);
  const { bytesRead } = await said.read(own, 0, own.length, 0);
  const spoken = own.toString('utf8', 0, bytesRead);
  return failure(spoken + (await logged(cluster.logs, before, spoken)));
}

async function becomesReady(cluster: Cluster, child: ChildProcess, signal: AbortSignal): Promise<boolean> {
  const spawned = once(child, 'spawn');
  let ended = false;
  const end = once(child, 'exit').then(() => {
    ended = true;
  });
  end.catch(() => {});
  await spawned;
  const deadline = Date.now() + longestStartMs;
  for (;;) {
    if (ended) return false;
    const living = await livingPostmaster(cluster.pgdata);
    if (living?.processId === child.pid && living?.status === 'ready') return true;
    if (signal.aborted) {
      child.kill('SIGINT');
      await Promise.race([end, pause(20_000, undefined, { ref: false })]);
      signal.throwIfAborted();
    }
    if (Date.now() > deadline)
      throw new EmbeddedError(
        `The embedded database in ${cluster.folder} still starts after 5 minutes: see ${cluster.logs}, and start again later.`,
      );
    await Promise.race([end, pause(10)]);
  }
}

/** The logging collector outlives the server and may write its last messages a moment later. */
async function logged(logs: string, before: Map<string, number>, spoken: string): Promise<string> {
  for (const deadline = Date.now() + 1000; ; await pause(20)) {
    const text = await loggedSince(logs, before);
    const isComplete = !spoken.includes('logging collector process') || lastFatal(text) !== undefined;
    if (isComplete || Date.now() > deadline) return text;
  }
}

function failure(text: string): Start {
  const lines = text.split('\n').filter((line) => line.trim());
  const first = lines.find((line) => !line.includes(' LOG:')) ?? lines.at(-1);
  const because = oneLine(lastFatal(text) ?? first ?? 'no reason given');
  if (/lock file "postmaster.pid"/.test(because)) return { kind: 'rival', because };
  if (/is still in use/.test(because)) return { kind: 'orphans', because };
  if (/could not bind/.test(text)) return { kind: 'port-taken', because };
  return { kind: 'failed', because };
}
