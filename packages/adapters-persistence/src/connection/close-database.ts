import type { Pool, PoolClient } from 'pg';
import { within } from './within.ts';

/** How long a running statement may delay the end, in milliseconds. */
const grace = 1_000;

/**
 * Makes the function that runs `before` and then ends the pool, in bounded time: MikroORM ends only a pool that it has
 * used, and waits forever for a connection that died in one of its transactions, because it never releases it.
 */
export function closing(pool: Pool, before = async () => {}): (timeout?: number) => Promise<boolean> {
  const clients = new Set<PoolClient>();
  pool.on('connect', (client) => clients.add(client)).on('remove', (client) => clients.delete(client));
  return async (timeout = grace) => {
    const ended = before().then(() => (pool.ending ? undefined : pool.end()));
    ended.catch(() => {});
    const inTime = ended.then(() => true);
    const hangs = !(await within(timeout, inTime, false));
    if (hangs) {
      // Connections that are busy or dead are cut off; their answers are no longer needed.
      for (const client of clients)
        void (client as unknown as { end(): Promise<void> }).end().catch(() => {});
    }
    return !hangs;
  };
}
