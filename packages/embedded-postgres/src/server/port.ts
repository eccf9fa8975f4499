import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A free port of 127.0.0.1, below the range for outgoing connections: otherwise such a connection might take it before
 * the database does, and a pool that reconnects can even connect to itself.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(20_000, 30_000);
    const server = createServer().listen({ host: '127.0.0.1', port, exclusive: true });
    const isFree = await once(server, 'listening').catch(() => false);
    server.close();
    if (isFree) return port;
  }
  throw new Error('no free port between 20000 and 30000');
}
