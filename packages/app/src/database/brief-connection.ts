import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence/sql';
import pg from 'pg';

/** For each query, in milliseconds. */
const timeout = 2_000;

/** Queries the database on a connection of its own. @throws what the driver throws */
export async function briefly<Answer>(
  address: DatabaseAddress,
  ask: (client: pg.ClientBase) => Promise<Answer>,
): Promise<Answer> {
  const client = new pg.Client({
    ...address,
    application_name: 'campaign-mirror start',
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await ask(client);
  } finally {
    client.end().catch(() => {});
  }
}
