import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import pg from 'pg';

/** Opens a connection. The end of the run may cut it without an error. */
export async function connect(address: DatabaseAddress | pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(address);
  client.on('error', () => {});
  await client.connect();
  return client;
}
