import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Unavailable } from '@campaign-mirror/domain';
import * as operator from '@campaign-mirror/domain/operator';
import type { Pool } from 'pg';
import { from } from 'pg-copy-streams';
import { isTaken } from '../connection/database-faults.ts';
import { rowOf, rowsOf } from '../connection/rows.ts';
import { withoutTimeouts } from '../connection/stoppable.ts';
import { inTransaction } from '../connection/transaction.ts';
import { countedUpTo } from '../schema/schema.ts';

/** The lines to import, until the end of the transaction. `content`: by what a line without a number is recognised. */
const create = `
  create temporary table imported (
    line bigint, faults json, id bigint, name text, owner_id bigint, is_default boolean, created_at timestamptz(6),
    mirror_id bigint, target_url text, clicks bigint, updated_externally boolean, updated_externally_at timestamptz(6),
    mirror_created_at timestamptz(6), mirror_updated_at timestamptz(6),
    default_of bigint generated always as (case when is_default then owner_id end) stored,
    content text generated always as (coalesce('n' || name, 't' || target_url, '')) stored
  ) on commit drop`;

const { campaignColumns } = operator;
const copy = `copy pg_temp.imported (line, faults, ${campaignColumns}) from stdin (format csv)`;

async function* csvOf(lines: AsyncIterable<operator.ImportLine>): AsyncGenerator<string> {
  for await (const { line, faults, campaign } of lines) {
    const values = campaignColumns.map((column) => campaign?.[column]);
    yield `${[line, campaign ? null : JSON.stringify(faults), ...values].map(quoted).join(',')}\n`;
  }
}

const quoted = (value: string | number | boolean | null | undefined) =>
  value == null ? '' : `"${String(value).replaceAll('"', '""')}"`;

/** The lines that claim, by these columns, what `stored` or an earlier line has: text of `what` is taken. */
const conflicts = (
  column: string,
  fault: string,
  what: string,
  claim: string,
  stored: string,
  remedy = '',
) => `
    select line, ${column}, '${fault}', case
      when taken is null then ${what} || ' is in line ' || first_line || ' already${remedy}'
      else 'there is a ' || ${what} || ' already${remedy}' end
    from (select *, min(line) over (partition by ${claim}) as first_line
      from pg_temp.imported where (${claim}) is not null) as given
    left join (select ${stored}) as stored using (${claim})
    where (taken is not null or first_line < line)`;

const duplicate = `concat('campaign', ' ' || taken, ' "' || name || '"', ' of the owner ' || owner_id,
  case when name is null then ' without a name, with this address,' end)`;
const mayEqual = `campaigns.owner_id, coalesce('n' || name, 't' || target_url, '') as content, min(campaigns.id) as taken
  from campaign_mirror.campaigns left join campaign_mirror.mirrors on campaign_id = campaigns.id
  where campaigns.owner_id in (select owner_id from pg_temp.imported) group by 1, 2`;

/** The first faults, and the number of lines with any. $1: whether duplicates are allowed. */
const findFaults = `
  with found (line, "column", fault, reason) as (
    select line, given.* from pg_temp.imported,
      json_to_recordset(faults) as given ("column" text, fault text, reason text)
    union all
    select line, "column", 'bad-field', 'it lies more than an hour ahead of the clock of the database'
    from pg_temp.imported, lateral (values ('created_at', created_at), ('updated_externally_at', updated_externally_at),
      ('mirror_created_at', mirror_created_at), ('mirror_updated_at', mirror_updated_at)) as given ("column", moment)
    where moment > clock_timestamp() + interval '1 hour'
    union all ${conflicts("'id'", 'campaign-taken', "'campaign ' || id", 'id', 'id, id as taken from campaign_mirror.campaigns')}
    union all ${conflicts("'mirror_id'", 'mirror-taken', "'mirror ' || mirror_id", 'mirror_id', 'id as mirror_id, id as taken from campaign_mirror.mirrors')}
    union all ${conflicts("'is_default'", 'second-default', "'default campaign of the owner ' || default_of", 'default_of', 'owner_id as default_of, id as taken from campaign_mirror.campaigns where is_default')}
    union all ${conflicts("case when name is null then 'target_url' else 'name' end", 'duplicate', duplicate, 'owner_id, content', mayEqual, ': give the line its id, leave it out, or add --allow-duplicates')}
      and id is null and not $1
  )
  select *, (select count(distinct line) from found) as "badLines" from found
  order by line, array_position('{${campaignColumns}}', "column") limit 1000`;

/** Sets a sequence to the highest number of the lines, unless it is beyond it: so no campaign created meanwhile gets it. */
const moveOn = (sequence: string, id: string) => `
  select setval('campaign_mirror.${sequence}', last) from campaign_mirror.${sequence},
    (select max(${id}) as last from pg_temp.imported where ${id} <= ${countedUpTo}) as given where last >= last_value`;

/** In the order of the lines. */
const write = `
  ${moveOn('campaigns_id_seq', 'id')}; ${moveOn('mirrors_id_seq', 'mirror_id')};
  update pg_temp.imported set id = coalesce(id, nextval('campaign_mirror.campaigns_id_seq')),
    mirror_id = case when target_url is not null then coalesce(mirror_id, nextval('campaign_mirror.mirrors_id_seq')) end
  where id is null or target_url is not null and mirror_id is null;
  insert into campaign_mirror.campaigns (id, name, owner_id, is_default, created_at)
    select id, name, owner_id, coalesce(is_default, false), coalesce(created_at, now()) from pg_temp.imported order by id;
  insert into campaign_mirror.mirrors (id, campaign_id, target_url, clicks, updated_externally, updated_externally_at,
      created_at, updated_at)
    select mirror_id, id, target_url, coalesce(clicks, 0), coalesce(updated_externally, false), updated_externally_at,
      coalesce(mirror_created_at, now()), coalesce(mirror_updated_at, now())
    from pg_temp.imported where target_url is not null order by mirror_id`;

/** Sets for the transaction who acts, and on what, for the entries that the database writes in the audit. */
const acting = `
  select set_config('campaign_mirror.operator', $1, true), set_config('campaign_mirror.request_id', $2, true),
    set_config('campaign_mirror.details', $3, true)`;

const counted = 'select count(*) as campaigns, count(target_url) as mirrors from pg_temp.imported';

/**
 * Imports campaigns from elsewhere, in PostgreSQL. No existing campaign is locked. `signal` ends an import at once, with
 * nothing imported, by throwing the signal's reason.
 */
export const postgresCampaignImport = (
  pool: Pool,
  act: operator.OperatorAct,
  signal?: AbortSignal,
): operator.CampaignImport => ({
  importAll: (source, lines, { dryRun, allowDuplicates }) =>
    inTransaction(
      pool,
      async (client) => {
        await client.query(create);
        await pipeline(Readable.from(csvOf(lines)), client.query(from(copy)));
        await client.query('analyze pg_temp.imported');
        await client.query(acting, [act.operator, act.requestId, JSON.stringify({ source })]);
        type Fault = operator.ImportOutcome['faults'][number] & { readonly badLines: number };
        const faults = await rowsOf<Fault>(client, findFaults, [allowDuplicates]);
        const { badLines = 0 } = faults[0] ?? {};
        if (badLines === 0 && !dryRun) await client.query(write).catch(refuseTaken);
        const sums = await rowOf<Record<'campaigns' | 'mirrors', number>>(client, counted);
        return { ...sums, badLines, faults };
      },
      withoutTimeouts,
      signal,
    ),
});

function refuseTaken(error: unknown): never {
  if (!isTaken(error)) throw error;
  throw new Unavailable(
    'another transaction took a number or a default campaign of the file, ' +
      'or a sequence is behind its table, which doctor names',
  );
}
