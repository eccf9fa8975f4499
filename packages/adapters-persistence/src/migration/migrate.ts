import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { openDatabase } from '../connection/database.ts';
import { isLocked } from '../connection/database-faults.ts';
import type { DatabaseAddress } from '../connection/pool.ts';
import { bringUpToDate } from './bring-up-to-date.ts';

/** How long a migration may block others; times in milliseconds. */
interface LockRetries {
  /** How long to wait for a lock: sessions that request it later wait as long. */
  readonly lockTimeout: number;
  /** The time between two attempts, in which the sessions that waited behind this one proceed. */
  readonly pause: number;
  readonly tries: number;
}

/**
 * Above PostgreSQL's `deadlock_timeout`, after which an autovacuum yields, and below the time that the service waits
 * for a connection, so that it continues to answer.
 */
const usualRetries: LockRetries = { lockTimeout: 2_000, pause: 1_000, tries: 10 };

/** What a migration reports while it waits, and how it is cancelled. */
export interface Migrating {
  /** Another process is migrating: this one waits for its turn. */
  readonly onWait?: () => void;
  /**
   * Other transactions hold a lock: the attempt is repeated. The holders are the processes of the server that were seen,
   * each such as `process 4711 (pg_dump of somebody)`.
   */
  readonly onHeld?: (holders: readonly string[], nextTry: number, tries: number) => void;
  readonly givenUp?: AbortSignal;
  readonly retries?: LockRetries;
  /** How long to wait for a running commit after cancellation, in milliseconds. */
  readonly commitWait?: number;
}

/**
 * Two connections: one migrates, and one looks for those that hold locks. One more for each try, because MikroORM never
 * releases a connection that ended before its rollback. Statements have no time limit.
 */
const unhurried = { size: 2 + usualRetries.tries, waitTimeout: 10_000, statementTimeout: 0, queryTimeout: 0 };
const applicationName = 'campaign-mirror migrations';

const unanswered = 'the commit of the migration was not answered: it is unknown whether it was done';

/**
 * Brings the schema up to date and grants the rights of the roles that exist: all of it, or nothing. Several processes
 * may do so at once: they take turns, and the later ones find nothing to do. Locks are awaited in short attempts,
 * because others wait behind a waiting migration.
 * @throws what the driver throws: the database is unavailable, the role lacks a right or is not the owner (42501),
 *   another transaction keeps holding a lock (55P03); UnfitDatabase; the reason of `givenUp`: then nothing was done;
 *   Unavailable when it was canceled during the commit and the server does not answer
 */
export async function migrate(
  address: DatabaseAddress,
  { onWait, onHeld, givenUp, retries = usualRetries, commitWait = 5_000 }: Migrating = {},
): Promise<void> {
  const { lockTimeout, tries } = retries;
  const database = await openDatabase(address, unhurried, applicationName);
  let committing = false;
  // Without the connection, the server rolls back. A running commit cannot be reported as not done: its end is awaited.
  const cutOff = () => void database.close(committing ? commitWait : 0);
  givenUp?.addEventListener('abort', cutOff);
  const onDone = () => {
    givenUp?.throwIfAborted();
    committing = true;
  };
  try {
    for (let next = 2; ; next++) {
      givenUp?.throwIfAborted();
      committing = false;
      let holders: readonly string[] = [];
      const look = async () => {
        holders = await lockHolders(database.pool).catch(() => []);
      };
      const looking = setTimeout(look, lockTimeout / 2);
      try {
        return await bringUpToDate(database, { lockTimeout, onWait, onDone });
      } catch (error) {
        if (!isLocked(error) || next > tries) throw error;
      } finally {
        clearTimeout(looking);
      }
      onHeld?.(holders, next, tries);
      await pause(retries.pause, undefined, { signal: givenUp });
    }
  } catch (error) {
    if (!givenUp?.aborted) throw error;
    throw committing ? new Unavailable(unanswered) : givenUp.reason;
  } finally {
    givenUp?.removeEventListener('abort', cutOff);
    await database.close();
  }
}

/** The processes that hold the locks for which migrations of this database wait, except other migrations. */
async function lockHolders(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ holder: string }>(
    `select format('process %s (%s)', pid, concat_ws(' of ', coalesce(nullif(application_name, ''), 'unnamed'), usename))
      as holder
    from pg_stat_activity where application_name <> $1 and pid in (
      select unnest(pg_blocking_pids(pid)) from pg_stat_activity
      where datname = current_database() and application_name = $1)`,
    [applicationName],
  );
  return rows.map(({ holder }) => holder);
}
