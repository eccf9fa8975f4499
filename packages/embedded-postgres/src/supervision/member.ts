import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster.ts';
import type { ServerSettings } from '../cluster/server-settings.ts';
import { EmbeddedError, isAbsence, oneLine } from '../programs/errors.ts';
import { connectMember, type MemberConnection } from './connection.ts';
import type { EmbeddedEvents } from './events.ts';
import { type Reached, reachServer } from './reach.ts';

export type Joined = Reached & MemberConnection;

/** How long to wait for a server that is shutting down, so that it can be started again. */
const longestJoinMs = 90_000;

/** Reaches the server, on `port` if given, and registers this process with it. Throws an EmbeddedError. */
export async function join(
  cluster: Cluster,
  settings: ServerSettings,
  port: number | undefined,
  signal: AbortSignal,
  onEvent: EmbeddedEvents,
): Promise<Joined> {
  const onStarting = (chosen: number) => onEvent('starting', { folder: cluster.folder, port: chosen });
  for (const deadline = Date.now() + longestJoinMs; ; await pause(50)) {
    const reached = await reachServer(cluster, settings, port, signal, onStarting);
    try {
      return { ...reached, ...(await connectMember(cluster, reached.port)) };
    } catch (error) {
      if (!isAbsence(error)) throw error;
      if (Date.now() > deadline) throw unreachable(cluster, reached, error);
    }
  }
}

function unreachable(cluster: Cluster, { processId, port }: Reached, error: unknown): EmbeddedError {
  const why = error instanceof Error ? oneLine(error.message) : 'no reason given';
  return new EmbeddedError(
    `The embedded database in ${cluster.folder} (process ${processId}) cannot be reached on 127.0.0.1:${port} (${why}): end that process, then start again.`,
  );
}
