import type { Database } from './database.ts';
import { addressBefore } from './seed.ts';

/** What is wrong with our history after so many answers of 200: a line each, none when all is well. */
export async function historyFaults(database: Database, answered: number): Promise<string[]> {
  const [found] = await database.query<Record<'rows' | 'breaks' | 'ends', string>>(
    `with history as (
      select campaign_id, address_before, address_after, changed_at,
        lag(address_after, 1, $1) over chain as known, lag(changed_at) over chain as earlier,
        lead(changed_at) over chain is null as is_last
      from campaign_mirror.mirror_history window chain as (partition by campaign_id order by changed_at)
    )
    select count(*) as rows,
      count(*) filter (where address_before <> known or changed_at <= earlier) as breaks,
      count(*) filter (where is_last and not exists (
        select from campaign_mirror.mirrors m where m.campaign_id = history.campaign_id
          and m.target_url = address_after and m.updated_at = changed_at)) as ends
    from history`,
    [addressBefore],
  );
  const [untold] = await database.query<{ count: string }>(
    `select count(*) from campaign_mirror.mirrors m where updated_externally and not exists (
      select from campaign_mirror.mirror_history h where h.campaign_id = m.campaign_id)`,
  );
  const faults: string[] = [];
  if (Number(found?.rows) !== answered)
    faults.push(`${answered} answers of 200, ${found?.rows} rows of history`);
  if (Number(found?.breaks) > 0)
    faults.push(`${found?.breaks} rows of history do not follow on the one before`);
  if (Number(found?.ends) > 0) faults.push(`${found?.ends} mirrors are not what their history says last`);
  if (Number(untold?.count) > 0) faults.push(`${untold?.count} mirrors were changed without history`);
  return faults;
}
