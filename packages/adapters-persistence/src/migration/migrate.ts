import { Unavailable } from '@campaign-mirror/domain';
import { type Database, openDatabase } from '../connection/database.ts';
import type { DatabaseAddress } from '../connection/pool.ts';
import { patiently } from '../connection/stoppable.ts';
import { bringUpToDate, prepareSchema } from './bring-up-to-date.ts';
import { type Trying, untilFree } from './held-migration.ts';

/** One migration at a time in a database: an advisory lock's number, of our own choosing. */
const migrationLock = 7_236_110_421;

/** Two connections: one holds the lock, one migrates. A migration may take its time. */
const unhurried = { size: 2, waitTimeout: 10_000, statementTimeout: 0, queryTimeout: 0 };

export interface Migrating extends Trying {
  /** Another process migrates: this one waits for its turn. */
  readonly onWait?: () => void;
  /** How long a commit that is under way is waited for when it is given up, in milliseconds. */
  readonly commitWait?: number;
}

const unanswered = 'the commit of the migration was not answered: it is unknown whether it was done';

/**
 * Brings the schema up to date and gives the roles that exist their rights, all of it or nothing. Several processes
 * may do so at once: they take turns, and the second finds nothing to do. What others hold is waited for in short
 * tries, since whoever needs it meanwhile waits too.
 * @throws what the driver throws: the database is away, the role lacks a right, or is not the owner (42501), another
 *   transaction goes on holding what is needed (55P03); the reason of `givenUp`: then nothing was done; Unavailable
 *   when it was given up while it was committed, and the server does not answer
 */
export async function migrate(address: DatabaseAddress, migrating: Migrating = {}): Promise<void> {
  const { givenUp, commitWait = 5_000 } = migrating;
  const database = await openDatabase(address, unhurried, 'campaign-mirror migrations');
  const { promise: abandoned, reject } = Promise.withResolvers<never>();
  let committing = false;
  let timer: NodeJS.Timeout | undefined;
  const abandon = () => {
    if (!committing) return reject(givenUp?.reason);
    // What is being committed cannot be called undone: its end is awaited, as long as one comes.
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
    // What was given up is undone by the server when its connection ends.
    await database.close(givenUp?.aborted ? 0 : undefined);
  }
}

async function migrateInTurn(
  database: Database,
  attempt: (lockTimeout: number) => Promise<void>,
  migrating: Migrating,
): Promise<void> {
  const turn = await database.pool.connect();
  // What ends it while the other connection works is told by its commit.
  const ignore = () => {};
  turn.on('error', ignore);
  try {
    // It is idle while the other connection works.
    await turn.query(`begin; ${patiently}`);
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
