import type { Pool } from 'pg';
import { type Database, type DatabaseAddress, openDatabase } from './database.ts';
import { schema } from './entities.ts';
import { grantRights } from './grant-rights.ts';

/** One migration at a time in a database: an advisory lock's number, of our own choosing. */
const migrationLock = 7_236_110_421;

/** Nothing newer than this is used. */
export const oldestServerVersion = 15;

/** Two connections: one holds the lock, one migrates. A migration may take its time. */
const unhurried = { size: 2, waitTimeout: 10_000, statementTimeout: 0, queryTimeout: 0 };

export interface Migrating {
  /** Another process migrates: this one waits for its turn. */
  readonly onWait?: () => void;
  readonly givenUp?: AbortSignal;
}

/**
 * Brings the schema up to date and gives the roles that exist their rights. Several processes may do so at
 * once: they take turns, and the second finds nothing to do.
 * @throws what the driver throws: the database is away, or the role lacks a right; the reason of `givenUp`
 */
export async function migrate(address: DatabaseAddress, { onWait, givenUp }: Migrating = {}): Promise<void> {
  const database = await openDatabase(address, unhurried, 'campaign-mirror migrations');
  const { promise: abandoned, reject } = Promise.withResolvers<never>();
  const abandon = () => reject(givenUp?.reason);
  givenUp?.addEventListener('abort', abandon);
  try {
    givenUp?.throwIfAborted();
    await Promise.race([migrateInTurn(database, onWait), abandoned]);
  } finally {
    givenUp?.removeEventListener('abort', abandon);
    // What was given up is undone by the server when its connection ends.
    await database.close(givenUp?.aborted ? 0 : undefined);
  }
}

async function migrateInTurn(database: Database, onWait: () => void = () => {}): Promise<void> {
  const turn = await database.pool.connect();
  try {
    await turn.query('begin');
    const taken = 'select pg_try_advisory_xact_lock($1) as ours';
    const { rows } = await turn.query<{ ours: boolean }>(taken, [migrationLock]);
    if (!rows[0]?.ours) {
      onWait();
      await turn.query('select pg_advisory_xact_lock($1)', [migrationLock]);
    }
    await bringUpToDate(database);
    await turn.query('commit');
    turn.release();
  } catch (error) {
    turn.release(true);
    throw error;
  }
}

async function bringUpToDate({ orm, pool }: Database): Promise<void> {
  // Not `create schema if not exists`: it asks for the right to create even where nothing is to be created.
  const { rowCount } = await pool.query('select from pg_namespace where nspname = $1', [schema]);
  if (rowCount === 0) await pool.query(`create schema ${schema}`);
  await orm.migrator.up();
  const client = await pool.connect();
  try {
    await client.query('begin');
    await grantRights(client);
    await client.query('commit');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** The server's major version, such as 15. */
export async function serverVersion(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ version: string }>(
    "select current_setting('server_version_num') as version",
  );
  return Math.floor(Number(rows[0]?.version) / 10_000);
}
