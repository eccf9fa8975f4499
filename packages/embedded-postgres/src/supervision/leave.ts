import type { Client } from 'pg';
import type { Cluster } from '../cluster/cluster.ts';
import { livingPostmaster } from '../cluster/postmaster.ts';
import { stopServer } from '../cluster/stop.ts';
import { connectMember, disconnect } from './connection.ts';
import type { EmbeddedEvents, SupervisionBounds } from './events.ts';
import { unregister } from './locks.ts';

/** Removes our registrations, and stops the server if no other process has one. Never rejects, and ends in bounded time. */
export async function leaveServer(
  cluster: Cluster,
  connection: Client | undefined,
  bounds: SupervisionBounds,
  onEvent: EmbeddedEvents,
): Promise<void> {
  const living = await livingPostmaster(cluster.pgdata);
  if (living === undefined) {
    if (connection !== undefined) await disconnect(connection);
    return onEvent('stopped', { folder: cluster.folder, already: true });
  }
  const { processId, port } = living;
  // The second attempt is for a lost connection whose server still runs: we may be the only one to stop it.
  const reconnected = () => connectMember(cluster, port).catch(() => undefined);
  const alone = (await isLast(connection)) ?? (await isLast((await reconnected())?.client));
  if (alone === undefined || !alone.last) {
    if (alone !== undefined) await disconnect(alone.client);
    return onEvent('left-running', { processId, port });
  }
  onEvent('stopping', { processId, port });
  const stopped = await stopServer(cluster, bounds.fastStopMs, (forced) =>
    onEvent('stop-forced', { processId: forced, afterMs: bounds.fastStopMs }),
  );
  await disconnect(alone.client);
  onEvent(stopped ? 'stopped' : 'left-running', { processId, port });
}

/** Undefined when the connection is lost. */
async function isLast(client: Client | undefined): Promise<{ client: Client; last: boolean } | undefined> {
  if (client === undefined) return undefined;
  try {
    return { client, last: await unregister(client) };
  } catch {
    await disconnect(client);
    return undefined;
  }
}
