import { setTimeout as pause } from 'node:timers/promises';
import { ClearError } from '../clear-error.ts';
import { isAbsence, oneLine } from '../postgres-programs/errors.ts';
import type { Cluster } from './cluster.ts';
import { connectMember, type MemberConnection } from './connection.ts';
import type { EmbeddedEvents } from './events.ts';
import { type Reached, reachServer } from './reach.ts';
import type { ServerSettings } from './settings.ts';

export type Joined = Reached & MemberConnection;

/** One that is just going down is waited for and started again; longer than this it is not plausible. */
const longestJoinMs = 90_000;

/** Reaches the server, on `port` if given, and registers this process with it. Throws a ClearError. */
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

function unreachable(cluster: Cluster, { processId, port }: Reached, error: unknown): ClearError {
  const why = error instanceof Error ? oneLine(error.message) : 'no reason given';
  return new ClearError(
    `The embedded database in ${cluster.folder} (process ${processId}) cannot be reached on 127.0.0.1:${port} (${why}): end that process, then start again.`,
  );
}
