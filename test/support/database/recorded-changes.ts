import type { ClientBase, Pool } from 'pg';

/** Inserts a row of the history, as `set_mirrors` does. Resolves with its number. */
export async function recordChange(
  database: ClientBase | Pool,
  { campaign = 1, at = null }: { campaign?: number; at?: string | null } = {},
): Promise<number> {
  const { rows } = await (database as Pool).query(
    `insert into campaign_mirror.mirror_history
       (campaign_id, mirror_id, actor, owner_id, address_before, address_after, changed_at, request_id)
     values ($1, $1, 'operator', 1, 'https://before.example/', 'https://after.example/',
       coalesce($2, clock_timestamp()), 'request-1')
     returning id`,
    [campaign, at],
  );
  return Number(rows[0].id);
}
