import type { OperatorAct } from '@campaign-mirror/domain';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { portFault } from './database-faults.ts';
import { rowsOf } from './rows.ts';
import { endedBy, withoutTimeouts } from './stoppable.ts';

/** @throws Unavailable */
export const connectTo = (pool: Pool) => pool.connect().catch((error) => Promise.reject(portFault(error)));

/**
 * Runs statements in one transaction, on a connection of their own, which is not used again after a failure. It serves
 * what MikroORM does not do: streams, and statements of many rows. Each statement sees what others have committed by
 * then, whatever the database's default is; `settings` are statements that hold for the transaction.
 * @throws Unavailable when the connection is lost: whether it was committed is unknown then
 */
export async function inTransaction<T>(
  pool: Pool,
  run: (client: PoolClient) => Promise<T>,
  settings = '',
): Promise<T> {
  const client = await connectTo(pool);
  // The running statement reports why a connection ended.
  const ignore = () => {};
  client.on('error', ignore);
  try {
    await client.query(`begin isolation level read committed; ${settings}`);
    const result = await run(client);
    await client.query('commit');
    client.off('error', ignore);
    client.release();
    return result;
  } catch (error) {
    // Closing the connection rolls back; an explicit rollback could wait for a running statement.
    client.release(true);
    throw portFault(error);
  }
}

/** Sets for the rest of the transaction who acts, for the entries that the database writes in the audit. */
export const actingText = `
  select set_config('campaign_mirror.operator', $1, true), set_config('campaign_mirror.request_id', $2, true),
    set_config('campaign_mirror.details', $3, true)`;

/** The values of `actingText`. `details` are facts that the rows do not contain. */
export function actingValues(
  { operator, requestId }: OperatorAct,
  details: Readonly<Record<string, string | number>> = {},
): string[] {
  return [operator, requestId, JSON.stringify(details)];
}

const begin = `begin isolation level repeatable read read only; ${withoutTimeouts}`;

/**
 * Runs `read` on the database as it is at one moment, whatever others write meanwhile; it blocks nobody. Rows are read as
 * fast as they are consumed, until `signal`. A consumer that stops releases the connection.
 * @throws Unavailable, or the signal's reason
 */
export async function* ofOneMoment<T>(
  pool: Pool,
  signal: AbortSignal | undefined,
  read: (client: PoolClient) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const client = await connectTo(pool);
  // The running statement reports why a connection ended.
  client.on('error', () => {});
  let stopListening = async () => {};
  try {
    await client.query(begin);
    // Not earlier: behind a pooler, the server process is assigned only when the transaction begins.
    stopListening = await endedBy(signal, pool, client);
    signal?.throwIfAborted();
    yield* read(client);
  } catch (error) {
    throw signal?.aborted ? signal.reason : portFault(error);
  } finally {
    await stopListening();
    // Nothing was written: there is nothing to commit or roll back.
    client.release(true);
  }
}

/** The rows of a statement, of which one at a time is open on a connection. */
export async function* cursorRows<Row extends QueryResultRow>(
  client: PoolClient,
  query: string,
  values: unknown[] = [],
): AsyncGenerator<Row> {
  await client.query(`declare taken no scroll cursor for ${query}`, values);
  for (;;) {
    const rows = await rowsOf<Row>(client, 'fetch 1000 from taken');
    yield* rows;
    if (rows.length < 1_000) break;
  }
  await client.query('close taken');
}
