import type { Database } from './database.ts';
import { addressBefore } from './seed.ts';

/** Rows, about, of campaigns and history that are looked at together: a long run's history is no matter for one sort. */
const together = 500_000;

/** Updates: those that were answered with 200, and those asked for, since a round's end cuts off what is under way. */
export interface Updates {
  readonly answered: number;
  readonly asked: number;
}

/** What is wrong with our history: a line each, none when all is well. */
export async function historyFaults(database: Database, updates: Updates): Promise<string[]> {
  const sum = { rows: 0, breaks: 0, ends: 0, untold: 0 };
  const { answered, asked } = updates;
  const [last] = await database.query<{ id: string }>('select max(id) as id from campaign_mirror.campaigns');
  const campaigns = Number(last?.id);
  const slice = Math.ceil(campaigns / Math.ceil((campaigns + asked) / together));
  for (let first = 1; first <= campaigns; first += slice) {
    const found = await counts(database, first, first + slice - 1);
    for (const name of ['rows', 'breaks', 'ends', 'untold'] as const) sum[name] += Number(found?.[name]);
  }
  const faults: string[] = [];
  if (!(sum.rows >= answered && sum.rows <= asked))
    faults.push(`${answered} answers of 200 to ${asked} requests, ${sum.rows} rows of history`);
  if (sum.breaks > 0) faults.push(`${sum.breaks} rows of history do not follow on the one before`);
  if (sum.ends > 0) faults.push(`${sum.ends} mirrors are not what their history says last`);
  if (sum.untold > 0) faults.push(`${sum.untold} mirrors were changed without history`);
  return faults;
}

type Counts = Record<'rows' | 'breaks' | 'ends' | 'untold', string>;

async function counts(database: Database, first: number, last: number): Promise<Counts | undefined> {
  const [found] = await database.query<Counts>(
    `with history as (
      select campaign_id, address_before, address_after, changed_at,
        lag(address_after, 1, $1) over chain as known, lag(changed_at) over chain as earlier,
        lead(changed_at) over chain is null as is_last
      from campaign_mirror.mirror_history where campaign_id between $2 and $3
      window chain as (partition by campaign_id order by changed_at)
    )
    select count(*) as rows,
      count(*) filter (where address_before <> known or changed_at <= earlier) as breaks,
      count(*) filter (where is_last and not exists (
        select from campaign_mirror.mirrors m where m.campaign_id = history.campaign_id
          and m.target_url = address_after and m.updated_at = changed_at)) as ends,
      (select count(*) from campaign_mirror.mirrors m
        where m.campaign_id between $2 and $3 and updated_externally and not exists (
          select from campaign_mirror.mirror_history h where h.campaign_id = m.campaign_id)) as untold
    from history`,
    [addressBefore, first, last],
  );
  return found;
}
