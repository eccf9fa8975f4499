import type { Pool, PoolClient } from 'pg';
import { within } from './within.ts';

/** How long a statement that is under way may hold up the end, in milliseconds. */
const grace = 1_000;

/**
 * Makes the function that ends the pool, `before` first, in bounded time: MikroORM ends it only where it has used it itself, and
 * waits for ever for a connection that died in one of its transactions, which it never gives back.
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
      // What is busy or dead is cut off; nobody waits for its answer any more.
      for (const client of clients)
        void (client as unknown as { end(): Promise<void> }).end().catch(() => {});
    }
    return !hangs;
  };
}
