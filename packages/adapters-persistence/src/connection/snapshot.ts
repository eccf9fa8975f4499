import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { portFault } from './database-faults.ts';
import { endedBy, patiently } from './stoppable.ts';

const begin = `begin isolation level repeatable read read only; ${patiently}`;

/**
 * What `read` makes of the database at one moment, whatever others write meanwhile; nobody is held up. It is read as
 * fast as it is taken, until `signal`, and who takes no more lets go of the database.
 * @throws Unavailable, or the signal's reason
 */
export async function* ofOneMoment<T>(
  pool: Pool,
  signal: AbortSignal | undefined,
  read: (client: PoolClient) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const client = await pool.connect().catch((error) => Promise.reject(portFault(error)));
  // What ends a connection is told to the statement under way.
  client.on('error', () => {});
  let heard = async () => {};
  try {
    await client.query(begin);
    // Not before: behind a pooler the server's process is ours from the transaction's beginning on.
    heard = await endedBy(signal, pool, client);
    signal?.throwIfAborted();
    yield* read(client);
  } catch (error) {
    throw signal?.aborted ? signal.reason : portFault(error);
  } finally {
    await heard();
    // Nothing was written: there is nothing to bring to an end.
    client.release(true);
  }
}

/** So many are fetched at once. */
const together = 1_000;

export async function* cursorRows<Row extends QueryResultRow>(
  client: PoolClient,
  query: string,
  values: unknown[] = [],
): AsyncGenerator<Row> {
  await client.query(`declare taken no scroll cursor for ${query}`, values);
  for (;;) {
    const { rows } = await client.query<Row>(`fetch ${together} from taken`);
    yield* rows;
    if (rows.length < together) break;
  }
  await client.query('close taken');
}
