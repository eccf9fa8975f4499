import type { Pool, PoolClient } from 'pg';
import { rowsOf } from './rows.ts';

/**
 * Those who hold the locks for which the sessions of these process ids wait, if they wait, each as
 * `process 4711 (pg_dump of somebody)`; a transaction that was prepared has none.
 */
const holdersText = `
  select string_agg(distinct case when pid = 0 then 'a prepared transaction' else format('process %s (%s)', pid,
    concat_ws(' of ', coalesce(nullif(application_name, ''), 'unnamed'), usename)) end, ', ') as holders
  from (
    select unnest(pg_blocking_pids(ours.pid)) as pid from unnest($1::int[]) as ours (pid)
  ) as blockers left join pg_stat_activity using (pid)`;

/** Notes whom the statements of a pool wait for, so that an error can name them after the wait has ended. */
export function watchLockHolders(pool: Pool, betweenLooks = 1_000) {
  let holders: string | undefined;
  const pids = new Set<number>();
  pool.on('connect', (client: PoolClient) => {
    const { processID } = client as unknown as { processID: number | null };
    if (processID !== null) pids.add(processID);
  });
  const looking = setInterval(async () => {
    const [found] = await rowsOf<{ holders: string | null }>(pool, holdersText, [[...pids]]).catch(() => []);
    holders = found?.holders ?? holders;
  }, betweenLooks);
  looking.unref();
  return { last: () => holders, stop: () => clearInterval(looking) };
}
