import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import pg from 'pg';

/** A connection of its own. One that a failed test leaves behind is cut in the end, and nobody minds. */
export async function connect(address: DatabaseAddress | pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(address);
  client.on('error', () => {});
  await client.connect();
  return client;
}
