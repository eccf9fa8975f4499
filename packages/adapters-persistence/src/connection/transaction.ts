import type { OperatorAct } from '@campaign-mirror/domain';
import type { Pool, PoolClient } from 'pg';
import { actingText, actingValues } from '../schema/acting.ts';
import { portFault } from './database-faults.ts';

/**
 * Runs statements in one transaction, on a connection of their own, which is not used again after a failure. For what
 * MikroORM does not do: streams, and statements of many rows. Each statement sees what others have committed by then,
 * whatever the database's default is; `settings` are statements that hold for the transaction.
 * @throws Unavailable when the connection is lost: whether it was committed is unknown then
 */
export async function inTransaction<T>(
  pool: Pool,
  run: (client: PoolClient) => Promise<T>,
  settings = '',
): Promise<T> {
  const client = await pool.connect().catch((error) => Promise.reject(portFault(error)));
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

const acting = actingText('$1', '$2', '$3');

/** Says who acts in the transaction of this connection, for the audit, and what the rows do not tell. */
export async function actIn(
  client: PoolClient,
  act: OperatorAct,
  details: Readonly<Record<string, string>>,
): Promise<void> {
  await client.query(acting, actingValues(act, details));
}
