import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { portFault } from './database-faults.ts';
import { rowsOf } from './rows.ts';
import { endedBy, withoutTimeouts } from './stoppable.ts';

const begin = `begin isolation level repeatable read read only; ${withoutTimeouts}`;

/**
 * What `read` makes of the database at one moment, whatever others write meanwhile; it blocks nobody. Rows are read as
 * fast as they are consumed, until `signal`; a consumer that stops releases the connection.
 * @throws Unavailable, or the signal's reason
 */
export async function* ofOneMoment<T>(
  pool: Pool,
  signal: AbortSignal | undefined,
  read: (client: PoolClient) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const client = await pool.connect().catch((error) => Promise.reject(portFault(error)));
  // The running statement reports why a connection ended.
  client.on('error', () => {});
  let heard = async () => {};
  try {
    await client.query(begin);
    // Not earlier: behind a pooler, the server process is assigned only when the transaction begins.
    heard = await endedBy(signal, pool, client);
    signal?.throwIfAborted();
    yield* read(client);
  } catch (error) {
    throw signal?.aborted ? signal.reason : portFault(error);
  } finally {
    await heard();
    // Nothing was written: there is nothing to commit or roll back.
    client.release(true);
  }
}

/** The number of rows fetched at once. */
const together = 1_000;

/** The rows of a statement, of which one at a time is open on a connection. */
export async function* cursorRows<Row extends QueryResultRow>(
  client: PoolClient,
  query: string,
  values: unknown[] = [],
): AsyncGenerator<Row> {
  await client.query(`declare taken no scroll cursor for ${query}`, values);
  for (;;) {
    const rows = await rowsOf<Row>(client, `fetch ${together} from taken`);
    yield* rows;
    if (rows.length < together) break;
  }
  await client.query('close taken');
}
