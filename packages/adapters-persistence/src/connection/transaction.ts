import type { OperatorAct } from '@campaign-mirror/domain';
import type { Pool, PoolClient } from 'pg';
import { type AuditNote, noteText, noteValues } from '../schema/audit-note.ts';
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

const insertNote = noteText('$1', '$2', '$3', '$4', '$5', '$6', '$7');

/** Records an act of the operator in the audit, in the transaction of this connection. */
export async function noteIn(client: PoolClient, act: OperatorAct, note: AuditNote): Promise<void> {
  await client.query(insertNote, noteValues(act, note));
}
