import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as operator from '@campaign-mirror/domain/operator';
import type { Pool, PoolClient } from 'pg';
import { from, to } from 'pg-copy-streams';
import { rowOf, rowsOf } from '../connection/rows.ts';
import { inTransaction, streamSnapshot, withoutTimeouts } from '../connection/transaction.ts';
import { timestampText } from '../schema/stored-values.ts';

const createImported = `
  create temporary table imported (
    line bigint, faults json, id bigint, name text, owner_id bigint, is_default boolean, created_at timestamptz(6),
    mirror_id bigint, target_url text, clicks bigint, updated_externally boolean, updated_externally_at timestamptz(6),
    mirror_created_at timestamptz(6), mirror_updated_at timestamptz(6)
  ) on commit drop`;

const { campaignColumns } = operator;
const copyImported = `copy pg_temp.imported (line, faults, ${campaignColumns}) from stdin (format csv)`;

/** CSV in chunks of 16 KiB, because single lines take twice the time. */
async function* csvOf(lines: AsyncIterable<operator.ImportLine>): AsyncGenerator<string> {
  let text = '';
  for await (const { line, faults, campaign } of lines) {
    const values = campaignColumns.map((column) => campaign?.[column]);
    text += `${[line, campaign ? null : JSON.stringify(faults), ...values].map(quoted).join(',')}\n`;
    if (text.length < 16_384) continue;
    yield text;
    text = '';
  }
  yield text;
}

const quoted = (value: string | number | boolean | null | undefined) =>
  value == null ? '' : `"${String(value).replaceAll('"', '""')}"`;

/** How a campaign without a number is recognized as a duplicate. */
const description = `concat('campaign', ' "' || name || '"', ' of owner ' || campaign.owner_id,
  case when name is null then coalesce(' with the address ' || target_url, ' without a name and an address') end)`;

/** The first faults, and the number of lines with faults. $1: whether duplicates are allowed. */
const selectFaults = `
  with claimed as (
    select line, id, "column", fault, what, min(line) over (partition by what) as first_line
    from pg_temp.imported as campaign, lateral (values
      ('id', 'campaign-taken', 'campaign ' || id),
      ('mirror_id', 'mirror-taken', 'mirror ' || mirror_id),
      ('is_default', 'second-default', case when is_default then 'default campaign of owner ' || owner_id end),
      (case when name is null then 'target_url' else 'name' end, 'duplicate', case when not $1 then ${description} end)
    ) as made ("column", fault, what)
    where what is not null and owner_id is not null
  ), taken (what, number) as (
    select 'campaign ' || id, null::bigint from campaign_mirror.campaigns where id in (select id from pg_temp.imported)
    union all
    select 'mirror ' || id, null from campaign_mirror.mirrors where id in (select mirror_id from pg_temp.imported)
    union all
    select 'default campaign of owner ' || owner_id, null from campaign_mirror.campaigns
      where is_default and owner_id in (select owner_id from pg_temp.imported where is_default)
    union all
    select ${description}, min(campaign.id)
    from campaign_mirror.campaigns as campaign
      left join campaign_mirror.mirrors on campaign_id = campaign.id and name is null
    where not $1 and (campaign.owner_id, coalesce(name, '')) in (
      select owner_id, coalesce(name, '') from pg_temp.imported where id is null) group by 1
  ), found (line, "column", fault, reason) as (
    select line, given.* from pg_temp.imported,
      json_to_recordset(faults) as given ("column" text, fault text, reason text)
    union all
    select line, "column", 'invalid', 'it is more than an hour ahead of the clock of the database'
    from pg_temp.imported, lateral (values
      ('created_at', created_at), ('updated_externally_at', updated_externally_at),
      ('mirror_created_at', mirror_created_at), ('mirror_updated_at', mirror_updated_at)
    ) as given ("column", moment)
    where moment > clock_timestamp() + interval '1 hour'
    union all
    select line, "column", fault, concat(
      case when taken.what is null then what || ' is already in line ' || first_line
        else what || ' already exists' || coalesce(', with the id ' || number, '') end,
      case fault when 'duplicate' then ': give the line its id, leave it out, or add --allow-duplicates' end)
    from claimed left join taken using (what)
    where (taken.what is not null or first_line < line) and (fault <> 'duplicate' or id is null)
  )
  select *, (select count(distinct line) from found) as "invalidLines" from found
  order by line, array_position('{${campaignColumns}}', "column") limit 1000`;

/** Advances a sequence to the highest number of the lines, except for numbers within a million of 2^53-1. */
const advance = (sequence: string, id: string) => `
  select setval('campaign_mirror.${sequence}', last) from campaign_mirror.${sequence},
    (select max(${id}) as last from pg_temp.imported where ${id} <= 9007199253740991) as given
  where last >= last_value`;

const insertImported = `
  ${advance('campaigns_id_seq', 'id')}; ${advance('mirrors_id_seq', 'mirror_id')};
  update pg_temp.imported set id = coalesce(id, nextval('campaign_mirror.campaigns_id_seq')),
    mirror_id = case when target_url is not null then coalesce(mirror_id, nextval('campaign_mirror.mirrors_id_seq')) end
  where id is null or target_url is not null and mirror_id is null;
  insert into campaign_mirror.campaigns (id, name, owner_id, is_default, created_at)
    select id, name, owner_id, coalesce(is_default, false), coalesce(created_at, now())
    from pg_temp.imported order by id;
  insert into campaign_mirror.mirrors (id, campaign_id, target_url, clicks, updated_externally, updated_externally_at,
      created_at, updated_at)
    select mirror_id, id, target_url, coalesce(clicks, 0), coalesce(updated_externally, false), updated_externally_at,
      coalesce(mirror_created_at, now()), coalesce(mirror_updated_at, now())
    from pg_temp.imported where target_url is not null order by mirror_id`;

const setAct = `
  select set_config('campaign_mirror.operator', $1, true), set_config('campaign_mirror.request_id', $2, true),
    set_config('campaign_mirror.details', $3, true)`;

const countImported = 'select count(*) as campaigns, count(target_url) as mirrors from pg_temp.imported';

type Fault = operator.ImportOutcome['faults'][number] & { readonly invalidLines: number };

/** Locks no existing campaign. `signal` ends an import without a change. @throws Unavailable; the reason of `signal` */
export function postgresCampaignImport(pool: Pool, act: operator.OperatorAct, signal?: AbortSignal) {
  const importAll: operator.CampaignImport['importAll'] = (source, lines, { dryRun, allowDuplicates }) => {
    const run = async (client: PoolClient) => {
      await client.query(createImported);
      await pipeline(Readable.from(csvOf(lines)), client.query(from(copyImported)));
      await client.query('analyze pg_temp.imported');
      await client.query(setAct, [act.operator, act.requestId, JSON.stringify({ source })]);
      const faults = await rowsOf<Fault>(client, selectFaults, [allowDuplicates]);
      const { invalidLines = 0 } = faults[0] ?? {};
      if (invalidLines === 0 && !dryRun) await client.query(insertImported);
      const sums = await rowOf<Record<'campaigns' | 'mirrors', number>>(client, countImported);
      return { ...sums, invalidLines, faults };
    };
    return inTransaction(pool, run, withoutTimeouts, signal);
  };
  return { importAll } satisfies operator.CampaignImport;
}

/** The columns of `campaignColumns`. COPY needs the cast of booleans, because it would write t and f. */
const exportedRows = (cast = '') => `
  select campaigns.id, name, campaigns.owner_id, campaigns.is_default${cast},
    ${timestampText('campaigns.created_at')} as created_at, mirrors.id as mirror_id, target_url, clicks,
    updated_externally${cast}, ${timestampText('updated_externally_at')} as updated_externally_at,
    ${timestampText('mirrors.created_at')} as mirror_created_at, ${timestampText('updated_at')} as mirror_updated_at
  from campaign_mirror.campaigns left join campaign_mirror.mirrors on campaign_id = campaigns.id
  order by campaigns.id`;

/** JSON contains no control characters, so COPY leaves it unquoted. */
const copyExported = {
  csv: `copy (${exportedRows('::text')}) to stdout (format csv, header)`,
  json: `copy (select to_json(exported) from (${exportedRows()}) as exported)
    to stdout (format csv, delimiter E'\\x02', quote E'\\x01')`,
};

/** RFC 4180, section 2.1. Neither a name nor an address contains a line break. */
const withCarriageReturns = (lines: Buffer) =>
  Buffer.from(lines.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');

/** `signal` ends the export. @throws Unavailable; the reason of `signal` */
export const postgresCampaignExport = (pool: Pool, signal?: AbortSignal): operator.CampaignExport => ({
  copyTo: async (format, write) => {
    let campaigns = 0;
    const chunks = streamSnapshot<Buffer>(pool, signal, async function* (client) {
      const stream = client.query(to(copyExported[format]));
      yield* stream;
      campaigns = stream.rowCount;
    });
    for await (const chunk of chunks)
      if (!(await write(format === 'csv' ? withCarriageReturns(chunk) : chunk))) break;
    return campaigns;
  },
});
