import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { describedSessions, holdersOf } from '../connection/lock-holders.ts';

/** The advisory locks that allow one process at a time in a database; chosen arbitrarily. */
export const turns = {
  /** To migrate or to build an index, which waits for the snapshots of others. */
  index: 7_236_110_422,
  /** To migrate, taken after the other one: earlier versions wait for it in the server, and so hold a snapshot. */
  migration: 7_236_110_421,
};

export interface Waiting {
  /** Receives a line that says what is waited for. */
  readonly onWait: (line: string) => void;
  readonly givenUp: AbortSignal | undefined;
  /** How long to wait, and how long between two attempts, in milliseconds. */
  readonly turn: number;
  readonly pause: number;
}

const turnHoldersText = `
  select ${describedSessions} from pg_locks left join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and objsubid = 1 and (classid::bigint << 32) | objid::bigint = any ($1)
    and pg_locks.database = (select oid from pg_database where datname = current_database())`;

/** Another session has the turn. */
class Taken extends Error {}

/**
 * Runs `act` when nobody has these locks. It begins with a transaction that takes them by `takeTurn`. Whoever waits has no
 * transaction open: another's build of an index would wait for its end, if it read anything meanwhile.
 * @throws Unavailable when somebody else holds them for too long; what `act` throws
 */
export async function inTurn<T>(
  pool: Pool,
  locks: readonly number[],
  { onWait, givenUp, ...waiting }: Waiting,
  act: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + waiting.turn;
  for (let known: string | undefined; ; ) {
    const holders = await holdersOf(pool, turnHoldersText, locks);
    try {
      if (!holders) return await act();
    } catch (error) {
      if (!(error instanceof Taken)) throw error;
      continue;
    }
    if (holders !== known) onWait(`waiting for ${holders}, whose turn it is to migrate`);
    known = holders;
    if (performance.now() >= until)
      throw new Unavailable(
        `${holders} has the turn to migrate, and did not end within ${waiting.turn / 1_000} s: wait for it, or end it ` +
          'if it is no migration (pg_terminate_backend), and repeat this',
      );
    await pause(waiting.pause, undefined, { signal: givenUp });
  }
}

/** Takes the locks for the rest of a transaction. */
export async function takeTurn(
  run: (text: string) => Promise<readonly { done: boolean }[]>,
  locks: readonly number[],
): Promise<void> {
  const tries = locks.map((lock) => `pg_try_advisory_xact_lock(${lock})`);
  const [session] = await run(`select ${tries.join(' and ')} as done`);
  if (!session?.done) throw new Taken();
}
