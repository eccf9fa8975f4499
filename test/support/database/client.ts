import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import { roles } from '@campaign-mirror/adapters-persistence/service';
import pg from 'pg';

/** Opens a connection. The end of the run may cut it without an error. */
export async function connect(address: DatabaseAddress | pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(address);
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Runs a text on a connection of its own. Resolves with the rows. */
export async function query(address: Parameters<typeof connect>[0], text: string, values: unknown[] = []) {
  const client = await connect({ ...address, ssl: false });
  const ended = () => client.end().catch(() => {});
  return (await client.query(text, values).finally(ended)).rows;
}

export const createRoles = Object.values(roles)
  .map((name) => `create role ${name} login`)
  .join(';');
