import { addressBefore } from './seed.ts';
import { query } from './server.ts';

/**
 * Updates: those that were answered with 200, those refused as they have to be, and those asked for, since a round's end
 * cuts off what is under way.
 */
export interface Updates {
  answered: number;
  refused: number;
  asked: number;
}

type Counts = Record<'rows' | 'breaks' | 'ends' | 'unrecorded' | 'uses', string>;

/** What is wrong with a history: a line each, none when all is well. */
export async function historyFaults(url: URL, { answered, refused, asked }: Updates): Promise<string[]> {
  const [counts] = await query<Counts>(
    url,
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
          and m.target_url = address_after and m.updated_at = changed_at)) as ends,
      (select count(*) from campaign_mirror.mirrors m where updated_externally and not exists (
        select from campaign_mirror.mirror_history h where h.campaign_id = m.campaign_id)) as unrecorded,
      (select count(*) from campaign_mirror.key_uses where used_at is not null) as uses
    from history`,
    [addressBefore],
  );
  const { rows, breaks, ends, unrecorded, uses } = counts as Counts;
  const faults: string[] = [];
  if (Number(rows) < answered || Number(rows) > asked - refused)
    faults.push(
      `${answered} answers of 200, ${refused} refused of ${asked} requests, ${rows} rows of history`,
    );
  if (breaks !== '0') faults.push(`${breaks} rows of history do not follow on the one before`);
  if (ends !== '0') faults.push(`${ends} mirrors are not what their history says last`);
  if (unrecorded !== '0') faults.push(`${unrecorded} mirrors were changed without history`);
  if (answered > 0 && uses === '0') faults.push('no use of a key was recorded');
  return faults;
}
