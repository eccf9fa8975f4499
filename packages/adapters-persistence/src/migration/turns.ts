import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@campaign-mirror/domain';
import type { ClientBase, Pool } from 'pg';
import { rowsOf } from '../connection/rows.ts';

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

/** A session as `process 4711 (pg_dump of somebody)`; a transaction that was prepared has none. */
const described = `string_agg(distinct case when pid is null or pid = 0 then 'a prepared transaction'
  else format('process %s (%s)', pid, concat_ws(' of ', coalesce(nullif(application_name, ''), 'unnamed'), usename))
  end, ', ') as holders`;

const turnHoldersText = `
  select ${described} from pg_locks left join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and objsubid = 1 and (classid::bigint << 32) | objid::bigint = any ($1)
    and pid is distinct from $2 and pg_locks.database = (select oid from pg_database where datname = current_database())`;

const blockersText = `
  select ${described} from unnest(pg_blocking_pids($1)) as blockers (pid) left join pg_stat_activity using (pid)`;

async function holdersOf(database: Pool | ClientBase, text: string, ...values: unknown[]) {
  const [row] = await rowsOf<{ holders: string | null }>(database, text, values);
  return row?.holders ?? undefined;
}

/** Those who hold the lock for which the session of this process id waits, if it waits. @throws Unavailable */
export const blockersOf = (database: Pool | ClientBase, pid: number) =>
  holdersOf(database, blockersText, pid);

/** A session, and whether it has all the locks that it has tried to take. */
export interface Attempt {
  readonly pid: number;
  readonly done: boolean;
}

/**
 * Takes the locks for the rest of a transaction, by `attempt`, which runs the statement that it gets, and returns the
 * process id of the session. It tries again and again: a session that waits in the server would hold a snapshot, for
 * which another's build of an index would wait. @throws Unavailable when somebody else holds them for too long
 */
export async function takeTurn(
  attempt: (text: string) => Promise<readonly Attempt[]>,
  pool: Pool,
  locks: readonly number[],
  { onWait, givenUp, ...waiting }: Waiting,
): Promise<number> {
  const tries = locks.map((lock) => `pg_try_advisory_xact_lock(${lock})`);
  const text = `select pg_backend_pid() as pid, ${tries.join(' and ')} as done`;
  const until = performance.now() + waiting.turn;
  for (let known = 'another transaction'; ; ) {
    const [{ pid, done } = { pid: 0, done: false }] = await attempt(text);
    if (done) return pid;
    const holders = (await holdersOf(pool, turnHoldersText, locks, pid)) ?? known;
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
