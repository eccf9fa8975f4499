import type { BadLine, LineFault } from '@campaign-mirror/domain';
import type { PoolClient } from 'pg';
import { cursorRows } from '../connection/snapshot.ts';

/**
 * Every fault of every line, in order: what was wrong with it from the start, then what conflicts with the store or an
 * earlier line. Read after other transactions have committed.
 */
const faults = `
  select line, fault from (
    select line, place, fault
    from pg_temp.imported_lines, json_array_elements(faults) with ordinality as given (fault, place)
  union all
    select line, 101, json_build_object('kind', 'campaign-taken', 'id', claimed.id,
      'line', case when campaigns.id is null then first_line end)
    from (${claimed('id')}) claimed left join campaign_mirror.campaigns on campaigns.id = claimed.id
    where campaigns.id is not null or first_line < line
  union all
    select line, 102, json_build_object('kind', 'mirror-taken', 'id', claimed.mirror_id,
      'line', case when mirrors.id is null then first_line end)
    from (${claimed('mirror_id')}) claimed left join campaign_mirror.mirrors on mirrors.id = claimed.mirror_id
    where mirrors.id is not null or first_line < line
  union all
    select line, 103, json_build_object('kind', 'second-default', 'ownerId', claimed.default_of,
      'id', case when campaigns.id is null then first_id else campaigns.id end,
      'name', case when campaigns.id is null then first_name else campaigns.name end,
      'line', case when campaigns.id is null then first_line end)
    from (${claimed('default_of')}) claimed
      left join campaign_mirror.campaigns on campaigns.owner_id = claimed.default_of and campaigns.is_default
    where case when campaigns.id is null then first_line < line else campaigns.id is distinct from claimed.id end
  ) found
  order by line, place`;

/** The lines that claim it, each with the first line that claims the same. */
function claimed(column: string): string {
  const first = (what: string) =>
    `first_value(${what}) over (partition by ${column} order by line) as first_${what}`;
  return `
    select line, id, mirror_id, default_of, ${first('line')}, ${first('id')}, ${first('name')}
    from pg_temp.imported_lines where ${column} is not null`;
}

/**
 * The lines without a number that equal a campaign: its owner and its name or, without one, its address. All campaigns
 * of the lines' owners are read once, and joined by hashing or sorting.
 */
const duplicates = `
  with line as (
    select line, owner_id, coalesce('n' || name, 't' || target_url, '') as content
    from pg_temp.imported_lines where id is null
  ), stored as (
    select campaigns.id, campaigns.owner_id, name, coalesce('n' || name, 't' || target_url, '') as content
    from campaign_mirror.campaigns left join campaign_mirror.mirrors on campaign_id = campaigns.id and name is null
    where campaigns.owner_id in (select owner_id from line)
  )
  select line, json_build_object('kind', 'duplicate', 'id', min(stored.id), 'ownerId', line.owner_id,
    'name', min(name)) as fault
  from line join stored on stored.owner_id = line.owner_id and stored.content = line.content
  group by line.line, line.owner_id order by line`;

export function tellDuplicates(client: PoolClient, tell: (bad: BadLine) => Promise<void>): Promise<number> {
  return tellFaults(client, tell, duplicates);
}

/** Reports each fault, however many there are; then returns how many lines have any. */
export async function tellFaults(
  client: PoolClient,
  tell: (bad: BadLine) => Promise<void>,
  found = faults,
): Promise<number> {
  let badLines = 0;
  let last = 0;
  for await (const { line, fault } of cursorRows<{ line: number; fault: LineFault }>(client, found)) {
    if (line !== last) badLines += 1;
    last = line;
    await tell({ line, fault });
  }
  return badLines;
}
