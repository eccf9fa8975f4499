/* What MikroORM does not do: streams, and statements of many rows, on a connection of their own. */
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { throwFault } from './database-faults.ts';
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
  const { spare, faultOf } = cutBy(signal, client);
  let isDone = false;
  try {
    await client.query(`begin isolation level read committed; ${settings}`);
    const result = await run(client);
    // A commit is not cut off.
    spare();
    await client.query('commit');
    isDone = true;
    return result;
  } catch (error) {
    throw faultOf(error);
  } finally {
    spare();
    // Closing the connection rolls back; an explicit rollback could wait for a running statement.
    client.release(!isDone);
  }
}

/**
 * The rows of a statement on the database as it is at one moment, until `signal`; it blocks nobody. They are read as fast
 * as they are consumed. A consumer that stops releases the connection. @throws Unavailable, or the signal's reason
 */
export async function* rowsOfOneMoment<Row extends QueryResultRow>(
  pool: Pool,
  signal: AbortSignal | undefined,
  query: string,
  values?: unknown[],
): AsyncGenerator<Row> {
  const client = await connectTo(pool);
  const { spare, faultOf } = cutBy(signal, client);
  try {
    await client.query(`begin isolation level repeatable read read only; ${withoutTimeouts}`);
    yield* cursorRows<Row>(client, query, values);
  } catch (error) {
    throw faultOf(error);
  } finally {
    spare();
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
