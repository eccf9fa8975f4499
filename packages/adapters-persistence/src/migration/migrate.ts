import { Unavailable } from '@campaign-mirror/domain';
import { type Database, openDatabase } from '../connection/database.ts';
import type { DatabaseAddress } from '../connection/pool.ts';
import { withoutTimeouts } from '../connection/stoppable.ts';
import { bringUpToDate, prepareSchema } from './bring-up-to-date.ts';
import { type Trying, untilFree } from './held-migration.ts';

/** The number of the advisory lock that allows one migration at a time in a database; chosen arbitrarily. */
const migrationLock = 7_236_110_421;

/** Two connections: one holds the lock, one migrates. No time limit for statements. */
const unhurried = { size: 2, waitTimeout: 10_000, statementTimeout: 0, queryTimeout: 0 };

/** How a migration waits, and how it is cancelled. */
export interface Migrating extends Trying {
  /** Another process is migrating: this one waits for its turn. */
  readonly onWait?: () => void;
  /** How long to wait for a running commit after cancellation, in milliseconds. */
  readonly commitWait?: number;
}

const unanswered = 'the commit of the migration was not answered: it is unknown whether it was done';

/**
 * Brings the schema up to date and grants the rights of the roles that exist: all of it, or nothing. Several processes
 * may do so at once: they take turns, and the later ones find nothing to do. Locks are awaited in short attempts,
 * because others wait behind a waiting migration.
 * @throws what the driver throws: the database is unavailable, the role lacks a right or is not the owner (42501),
 *   another transaction keeps holding a lock (55P03); the reason of `givenUp`: then nothing was done; Unavailable when
 *   it was canceled during the commit and the server does not answer
 */
export async function migrate(address: DatabaseAddress, migrating: Migrating = {}): Promise<void> {
  const { givenUp, commitWait = 5_000 } = migrating;
  const database = await openDatabase(address, unhurried, 'campaign-mirror migrations');
  const { promise: abandoned, reject } = Promise.withResolvers<never>();
  let committing = false;
  let timer: NodeJS.Timeout | undefined;
  const abandon = () => {
    if (!committing) return reject(givenUp?.reason);
    // A running commit cannot be reported as undone: wait for its end for a bounded time.
    timer = setTimeout(() => reject(new Unavailable(unanswered)), commitWait);
  };
  givenUp?.addEventListener('abort', abandon);
  const attempt = (lockTimeout: number) => {
    committing = false;
    return bringUpToDate(database, lockTimeout, () => {
      givenUp?.throwIfAborted();
      committing = true;
    });
  };
  try {
    givenUp?.throwIfAborted();
    await Promise.race([migrateInTurn(database, attempt, migrating), abandoned]);
  } finally {
    givenUp?.removeEventListener('abort', abandon);
    clearTimeout(timer);
    // After cancellation, the server rolls back when its connection ends.
    await database.close(givenUp?.aborted ? 0 : undefined);
  }
}

async function migrateInTurn(
  database: Database,
  attempt: (lockTimeout: number) => Promise<void>,
  migrating: Migrating,
): Promise<void> {
  const turn = await database.pool.connect();
  // If this connection ends while the other one works, its commit reports it.
  const ignore = () => {};
  turn.on('error', ignore);
  try {
    // It is idle while the other connection works.
    await turn.query(`begin; ${withoutTimeouts}`);
    const taken = 'select pg_try_advisory_xact_lock($1) as ours';
    const { rows } = await turn.query<{ ours: boolean }>(taken, [migrationLock]);
    if (!rows[0]?.ours) {
      migrating.onWait?.();
      await turn.query('select pg_advisory_xact_lock($1)', [migrationLock]);
    }
    await prepareSchema(database);
    await untilFree(attempt, migrating);
    await turn.query('commit');
    turn.off('error', ignore);
    turn.release();
  } catch (error) {
    turn.release(true);
    throw error;
  }
}
