/* What MikroORM does not do: streams, and statements of many rows, on a connection of their own. */
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { portFault, throwFault } from './database-faults.ts';
import { rowsOf } from './rows.ts';
import { cutBy, withoutTimeouts } from './stoppable.ts';

/** @throws Unavailable */
export const connectTo = (pool: Pool) => pool.connect().catch(throwFault);

/**
 * Runs statements in one transaction, until `signal`. Each statement sees what others have committed by then, whatever
 * the database's default is; `settings` are statements that hold for the transaction.
 * @throws Unavailable when the connection is lost: whether it was committed is unknown then; the signal's reason
 */
export async function inTransaction<T>(
  pool: Pool,
  run: (client: PoolClient) => Promise<T>,
  settings = '',
  signal?: AbortSignal,
): Promise<T> {
  const client = await connectTo(pool);
  let isDone = false;
  let uncut: (() => void) | undefined;
  try {
    uncut = cutBy(signal, client);
    await client.query(`begin isolation level read committed; ${settings}`);
    const result = await run(client);
    signal?.throwIfAborted();
    uncut();
    uncut = undefined;
    await client.query('commit');
    isDone = true;
    return result;
  } catch (error) {
    // A commit is not cut off.
    throw uncut && signal?.aborted ? signal.reason : portFault(error);
  } finally {
    uncut?.();
    // Closing the connection rolls back; an explicit rollback could wait for a running statement.
    client.release(!isDone);
  }
}

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
  let uncut = () => {};
  try {
    uncut = cutBy(signal, client);
    await client.query(`begin isolation level repeatable read read only; ${withoutTimeouts}`);
    yield* read(client);
  } catch (error) {
    throw signal?.aborted ? signal.reason : portFault(error);
  } finally {
    uncut();
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
