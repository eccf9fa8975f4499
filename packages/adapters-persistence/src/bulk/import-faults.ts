import type { BadLine, LineFault } from '@campaign-mirror/domain';
import type { PoolClient } from 'pg';
import { cursorRows } from '../connection/transaction.ts';

/** The lines that claim what a row of `stored` or an earlier line has. */
const conflict = (place: number, kind: string, claim: string, stored: string) => `
    select line, ${place}, json_build_object('kind', '${kind}', 'id', claim,
      'line', case when stored.id is null then first_line end)
    from (select line, ${claim} as claim, min(line) over (partition by ${claim}) as first_line
      from pg_temp.imported_lines where ${claim} is not null) as claimed
    left join campaign_mirror.${stored}
    where stored.id is not null or first_line < line`;

/**
 * Every fault of every line, in order: what was wrong with it from the start, then what conflicts with the store or an
 * earlier line. Read after other transactions have committed.
 */
const faults = `
  select line, fault from (
    select line, place, fault
    from pg_temp.imported_lines, json_array_elements(faults) with ordinality as given (fault, place)
    union all
    select line, 100, json_build_object('kind', 'bad-field', 'field', field, 'because', 'in-the-future')
    from pg_temp.imported_lines, lateral (values ('created_at', created_at), ('updated_externally_at', updated_externally_at),
      ('mirror_created_at', mirror_created_at), ('mirror_updated_at', mirror_updated_at)) as given (field, moment)
    where moment > clock_timestamp() + interval '1 hour'
    union all
    select line, 100, json_build_object('kind', 'out-of-range', 'field', field, 'first', first, 'last', last)
    from pg_temp.imported_lines, lateral (values ('id', 'campaigns', id), ('mirror_id', 'mirrors', mirror_id))
      as given (field, table_name, number) join campaign_mirror.numbers using (table_name)
    where number not between first and last
    union all ${conflict(101, 'campaign-taken', 'id', 'campaigns as stored on stored.id = claim')}
    union all ${conflict(102, 'mirror-taken', 'mirror_id', 'mirrors as stored on stored.id = claim')}
    union all ${conflict(103, 'second-default', 'default_of', 'campaigns as stored on owner_id = claim and is_default')}
  ) found
  order by line, place`;

/**
 * The lines without a number that equal a campaign or an earlier line: its owner and its name or, without one, its address.
 * The campaigns of the lines' owners are read once into a table, so that none is read again for each line of its owner.
 */
const duplicates = `
  with line as materialized (
    select line, id, owner_id, name, coalesce('n' || name, 't' || target_url, '') as content from pg_temp.imported_lines
  ), owned as materialized (
    select id, owner_id, name from campaign_mirror.campaigns where owner_id in (select owner_id from line)
  ), stored as (
    select id, owner_id, 'n' || name as content from owned where name is not null
    union all
    select owned.id, owned.owner_id, coalesce('t' || target_url, '')
    from owned left join campaign_mirror.mirrors on campaign_id = owned.id where name is null
  ), taken as (
    select owner_id, content, null::bigint as id, min(line) as line from line group by owner_id, content
    union all
    select owner_id, content, min(id), null from stored group by owner_id, content
  )
  select line.line, json_build_object('kind', 'duplicate', 'id', min(taken.id),
    'line', case when min(taken.id) is null then min(taken.line) end, 'ownerId', owner_id, 'name', name) as fault
  from line join taken using (owner_id, content)
  where line.id is null and (taken.line < line.line or taken.id is not null)
  group by line.line, owner_id, name order by line.line`;

/** Reports each duplicate; then returns how many there are. */
export async function reportDuplicates(
  client: PoolClient,
  report: (bad: BadLine) => Promise<void>,
): Promise<number> {
  // Sorting all campaigns would take several times as long as hashing the lines.
  await client.query('set local enable_mergejoin = off');
  return reportFaults(client, report, duplicates);
}

/** Reports each fault, however many there are; then returns how many lines have any. */
export async function reportFaults(
  client: PoolClient,
  report: (bad: BadLine) => Promise<void>,
  text = faults,
): Promise<number> {
  let badLines = 0;
  let last = 0;
  for await (const { line, fault } of cursorRows<{ line: number; fault: LineFault }>(client, text)) {
    if (line !== last) badLines += 1;
    last = line;
    await report({ line, fault });
  }
  return badLines;
}
