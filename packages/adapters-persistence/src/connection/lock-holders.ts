import type { ClientBase, Pool, PoolClient } from 'pg';
import { rowOf } from './rows.ts';

/** A session as `process 4711 (pg_dump of somebody)`; a transaction that was prepared has none. */
export const describedSessions = `string_agg(distinct case when pid is null or pid = 0 then 'a prepared transaction'
  else format('process %s (%s)', pid, concat_ws(' of ', coalesce(nullif(application_name, ''), 'unnamed'), usename))
  end, ', ') as holders`;

/** Those who hold the locks for which the sessions of these process ids wait, if they wait. */
const blockersText = `
  select ${describedSessions} from (
    select unnest(pg_blocking_pids(ours.pid)) as pid from unnest($1::int[]) as ours (pid)
  ) as blockers left join pg_stat_activity using (pid)`;

/** The holders that a statement of `describedSessions` finds. @throws Unavailable */
export async function holdersOf(database: Pool | ClientBase, text: string, ...values: unknown[]) {
  return (await rowOf<{ holders: string | null }>(database, text, values)).holders ?? undefined;
}

/**
 * Notes whom the statements of a pool wait for, so that an error can name them after the wait has ended. It looks every
 * `betweenLooks` milliseconds: rarely needed, and far below the time limits.
 */
export function watchLockHolders(pool: Pool, betweenLooks = 1_000) {
  let holders: string | undefined;
  const pids = new Set<number>();
  pool.on('connect', (client: PoolClient) => {
    const { processID } = client as unknown as { processID: number | null };
    if (processID !== null) pids.add(processID);
  });
  const looking = setInterval(async () => {
    holders = (await holdersOf(pool, blockersText, [...pids]).catch(() => undefined)) ?? holders;
  }, betweenLooks);
  looking.unref();
  return { last: () => holders, stop: () => clearInterval(looking) };
}
