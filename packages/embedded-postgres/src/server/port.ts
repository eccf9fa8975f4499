import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A free port of 127.0.0.1, the `wanted` one if it is free, below the range for outgoing connections: otherwise such a
 * connection might hold it when the database starts again, and a pool that reconnects can even connect to itself.
 */
export async function freePort(wanted?: number): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = tries === 0 && wanted ? wanted : randomInt(20_000, 30_000);
    const server = createServer().listen({ host: '127.0.0.1', port, exclusive: true });
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
  throw new Error('no free port between 20000 and 30000');
}
