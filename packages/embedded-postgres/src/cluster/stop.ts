import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import { isPostmasterOf, isStopping, livingPostmaster } from './postmaster.ts';

/** In an immediate shutdown the server kills processes that do not end within 5 s. */
const longestImmediateMs = 15_000;

/**
 * Stops the cluster's server and waits for its end: fast (transactions are rolled back, all data is written), and
 * after `timeoutMs` immediate (the next start performs crash recovery). Returns false if it still runs after that.
 */
export async function stopServer(
  cluster: Cluster,
  timeoutMs: number,
  onForced: (processId: number) => void,
): Promise<boolean> {
  const living = await livingPostmaster(cluster.pgdata);
  if (living === undefined) return true;
  signal(living.processId, 'SIGINT');
  if (await ends(cluster, living.processId, timeoutMs)) return true;
  onForced(living.processId);
  signal(living.processId, 'SIGQUIT');
  return await ends(cluster, living.processId, longestImmediateMs);
}

/**
 * A plain `kill` (SIGTERM) makes the server wait until all clients disconnect and refuse new ones, but pools never
 * disconnect. A second signal ends them; then the server can be started again.
 */
export async function hastenStop(pgdata: string): Promise<void> {
  if (!(await isStopping(pgdata))) return;
  const living = await livingPostmaster(pgdata);
  if (living?.status === 'stopping') signal(living.processId, 'SIGINT');
}

async function ends(cluster: Cluster, processId: number, withinMs: number): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await pause(10))
    if (!(await isPostmasterOf(cluster.pgdata, processId))) return true;
  return false;
}

function signal(processId: number, name: NodeJS.Signals): void {
  try {
    process.kill(processId, name);
  } catch {
    // It has already ended.
  }
}
