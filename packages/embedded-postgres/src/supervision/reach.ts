import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster.ts';
import { freePort, isFree } from '../cluster/port.ts';
import { dropStaleLockFile, lastPort, livingPostmaster, type Postmaster } from '../cluster/postmaster.ts';
import type { ServerSettings } from '../cluster/server-settings.ts';
import { type Start, startServer } from '../cluster/start.ts';
import { hastenStop } from '../cluster/stop.ts';
import { EmbeddedError, orYourOwn } from '../programs/errors.ts';

export interface Reached {
  processId: number;
  port: number;
  /** False when it ran already, or another process started it. */
  startedByUs: boolean;
}

/** How long a server that stops, or the remains of a killed one, may take before we give up, in milliseconds. */
const longestGoingMs = 60_000;

/**
 * Finds the cluster's running server or starts it: only on `port` if given, otherwise where it was last
 * time, else on a free one. Any number of processes may do this at once; one server results. Throws an EmbeddedError.
 */
export async function reachServer(
  cluster: Cluster,
  settings: ServerSettings,
  port: number | undefined,
  signal: AbortSignal,
  onStarting: (port: number) => void,
): Promise<Reached> {
  const deadline = Date.now() + longestGoingMs;
  let announced: number | undefined;
  for (let avoided: number | undefined; ; ) {
    signal.throwIfAborted();
    const living = await livingPostmaster(cluster.pgdata);
    if (living?.status === 'ready') return adopted(cluster, living, port);
    if (living === undefined) {
      await dropStaleLockFile(cluster.pgdata);
      const chosen = port ?? (await choosePort(cluster, avoided));
      if (chosen !== announced) onStarting(chosen);
      announced = chosen;
      const start = await startServer(cluster, chosen, settings, signal);
      if (start.kind === 'ready') return { processId: start.processId, port: chosen, startedByUs: true };
      if (start.kind === 'failed' || (start.kind === 'port-taken' && port !== undefined))
        throw doesNotStart(cluster, start);
      if (start.kind === 'port-taken') avoided = chosen;
      if (Date.now() > deadline) throw doesNotStart(cluster, start);
    }
    // Waits for a starting server as long as its process lives: it can be in crash recovery.
    if (living !== undefined && living.status !== 'starting' && Date.now() > deadline)
      throw new EmbeddedError(
        `The embedded database in ${cluster.folder} (process ${living.processId}) has been ${living.status} for a minute: end that process, then start again.`,
      );
    if (living !== undefined) await hastenStop(cluster.pgdata);
    await pause(20);
  }
}

function adopted(cluster: Cluster, { processId, port }: Postmaster, wanted: number | undefined): Reached {
  if (wanted === undefined || wanted === port) return { processId, port, startedByUs: false };
  throw new EmbeddedError(
    `The embedded database in ${cluster.folder} came back on port ${port} instead of ${wanted}: start again.`,
  );
}

async function choosePort(cluster: Cluster, avoided: number | undefined): Promise<number> {
  const last = await lastPort(cluster.pgdata);
  return last !== undefined && last !== avoided && (await isFree(last)) ? last : await freePort();
}

function doesNotStart(cluster: Cluster, start: Exclude<Start, { kind: 'ready' }>): EmbeddedError {
  return new EmbeddedError(
    `The embedded database in ${cluster.folder} does not start (${start.because}): see ${cluster.logs}, or ${orYourOwn}.`,
  );
}
