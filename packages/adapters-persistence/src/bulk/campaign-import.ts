import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Unavailable } from '@campaign-mirror/domain';
import type * as operator from '@campaign-mirror/domain/operator';
import type { Pool, PoolClient } from 'pg';
import { from } from 'pg-copy-streams';
import { isTaken } from '../connection/database-faults.ts';
import { rowOf } from '../connection/rows.ts';
import { withoutTimeouts } from '../connection/stoppable.ts';
import { cursorRows, inTransaction } from '../connection/transaction.ts';
import { countedUpTo } from '../schema/schema.ts';

/** The lines to import, until the end of the transaction; the columns in the order of `rowsFor`. */
const create = `
  create temporary table imported_lines (
    line bigint, id bigint, name text, owner_id bigint, is_default boolean, created_at timestamptz(6),
    mirror_id bigint, target_url text, clicks bigint, updated_externally boolean, updated_externally_at timestamptz(6),
    mirror_created_at timestamptz(6), mirror_updated_at timestamptz(6),
    default_of bigint generated always as (case when is_default then owner_id end) stored
  ) on commit drop`;

const copy = 'copy pg_temp.imported_lines from stdin';

/** The rows, in pieces of some 64 KiB, which the server takes faster than single ones. */
async function* rowsFor(lines: AsyncIterable<operator.ImportLine>): AsyncGenerator<string> {
  let text = '';
  for await (const { line, campaign } of lines) {
    const mirror = campaign?.mirror;
    const values = [
      ...[line, campaign?.id, campaign?.name, campaign?.ownerId, campaign?.isDefault, campaign?.createdAt],
      ...[mirror?.id, mirror?.targetUrl, mirror?.clicks],
      ...[mirror?.updatedExternally, mirror?.updatedExternallyAt, mirror?.createdAt, mirror?.updatedAt],
    ];
    text += `${values.map(copyText).join('\t')}\n`;
    if (text.length < 65_536) continue;
    yield text;
    text = '';
  }
  yield text;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A value in COPY's text format. */
const copyText = (value: string | number | boolean | null | undefined) =>
  value == null ? '\\N' : String(value).replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? '');

/** The lines that claim what a row of `stored` or an earlier line has. */
const conflict = (place: number, kind: string, claim: string, stored: string) => `
    select line, ${place}, json_build_object('kind', '${kind}', 'id', claim,
      'line', case when stored.id is null then first_line end)
    from (select line, ${claim} as claim, min(line) over (partition by ${claim}) as first_line
      from pg_temp.imported_lines where ${claim} is not null) as claimed
    left join campaign_mirror.${stored}
    where stored.id is not null or first_line < line`;

/** Every fault of every line, in order: its times, then its conflicts. Read after other transactions have committed. */
const faults = `
  select line, fault from (
    select line, 0 as place, json_build_object('kind', 'in-the-future', 'time', field) as fault
    from pg_temp.imported_lines, lateral (values
      ('createdAt', created_at), ('updatedExternallyAt', updated_externally_at),
      ('mirrorCreatedAt', mirror_created_at), ('mirrorUpdatedAt', mirror_updated_at)) as given (field, moment)
    where moment > clock_timestamp() + interval '1 hour'
    union all ${conflict(1, 'campaign-taken', 'id', 'campaigns as stored on stored.id = claim')}
    union all ${conflict(2, 'mirror-taken', 'mirror_id', 'mirrors as stored on stored.id = claim')}
    union all ${conflict(3, 'second-default', 'default_of', 'campaigns as stored on owner_id = claim and is_default')}
  ) found
  order by line, place`;

/**
 * The lines without a number that equal a campaign or an earlier line: its owner and its name or, without one, its address.
 * The campaigns that may equal a line are read once into a table. An index leads to those of its owner, but none to its label:
 * otherwise all of them might be read again for each line of their owner.
 */
const duplicates = `
  with line as materialized (
    select line, id, owner_id, name, owner_id || coalesce('n' || name, '') as label,
      coalesce('n' || name, 't' || target_url, '') as content from pg_temp.imported_lines
  ), owned as materialized (
    select id, owner_id, name from campaign_mirror.campaigns where owner_id in (select owner_id from line)
      and owner_id || coalesce('n' || name, '') in (select label from line)
  ), stored as (
    select id, owner_id, 'n' || name as content from owned where name is not null
    union all
    select owned.id, owned.owner_id, coalesce('t' || target_url, '')
    from owned left join campaign_mirror.mirrors on campaign_id = owned.id where name is null
  ), taken as (
    select owner_id, content, min(id) as campaign from stored
    where (owner_id, content) in (select owner_id, content from line) group by owner_id, content
  )
  select line, json_build_object('kind', 'duplicate', 'id', campaign,
    'line', case when campaign is null then first_line end, 'ownerId', owner_id, 'name', name) as fault
  from (select *, min(line) over (partition by owner_id, content) as first_line
    from line left join taken using (owner_id, content)) as judged
  where id is null and (first_line < line or campaign is not null) order by line`;

/**
 * Moves the sequence of a table beyond the numbers of the lines and of the table, and never back: a wide gap in one step;
 * one that others could pass between the reading and the setting of the sequence number by number.
 */
const moveOn = (table: string, column: string) => {
  const gap = `
    from (select last_value - 1 + is_called::int as seen from campaign_mirror.${table}_id_seq) as sequence,
      (select greatest(max(${column}) filter (where ${column} <= ${countedUpTo}),
        (select max(id) from campaign_mirror.${table} where id <= ${countedUpTo})) as last
      from pg_temp.imported_lines) as numbers`;
  return [
    `select setval('campaign_mirror.${table}_id_seq', last) ${gap} where last - seen > 1000`,
    `select count(nextval('campaign_mirror.${table}_id_seq')) ${gap}, generate_series(seen + 1, last)`,
  ];
};

const writing = [
  // First, so that a campaign created meanwhile gets none of these numbers; also if a sequence is behind its table.
  ...moveOn('campaigns', 'id'),
  ...moveOn('mirrors', 'mirror_id'),
  // In the order of the lines.
  "update pg_temp.imported_lines set id = nextval('campaign_mirror.campaigns_id_seq') where id is null",
  `update pg_temp.imported_lines set mirror_id = nextval('campaign_mirror.mirrors_id_seq')
    where mirror_id is null and target_url is not null`,
  `insert into campaign_mirror.campaigns (id, name, owner_id, is_default, created_at)
    select id, name, owner_id, is_default, coalesce(created_at, now()) from pg_temp.imported_lines order by id`,
  `insert into campaign_mirror.mirrors (id, campaign_id, target_url, clicks, updated_externally,
      updated_externally_at, created_at, updated_at)
    select mirror_id, id, target_url, clicks, updated_externally, updated_externally_at,
      coalesce(mirror_created_at, now()), coalesce(mirror_updated_at, now())
    from pg_temp.imported_lines where target_url is not null order by mirror_id`,
];

/** Sets for the transaction who acts, and on what, for the entries that the database writes in the audit. */
const acting = `
  select set_config('campaign_mirror.operator', $1, true), set_config('campaign_mirror.request_id', $2, true),
    set_config('campaign_mirror.details', $3, true)`;

/** The lines without a campaign. */
const countUnread = 'select count(*) as unread from pg_temp.imported_lines where owner_id is null';

const counted = 'select count(*) as campaigns, count(target_url) as mirrors from pg_temp.imported_lines';

/** Sorting all campaigns, to find duplicates, would take several times as long as hashing the lines. */
const settings = `${withoutTimeouts}; set local enable_mergejoin = off`;

/**
 * Imports campaigns from elsewhere, in PostgreSQL. No existing campaign is locked. `signal` ends an import at once, with
 * nothing imported, by throwing the signal's reason.
 */
export const postgresCampaignImport = (
  pool: Pool,
  act: operator.OperatorAct,
  signal?: AbortSignal,
): operator.CampaignImport => ({
  importAll: (source, lines, report, { dryRun, allowDuplicates }) => {
    const run = async (client: PoolClient): Promise<operator.ImportOutcome> => {
      await client.query(create);
      await pipeline(Readable.from(rowsFor(lines), { objectMode: true }), client.query(from(copy)));
      await client.query('analyze pg_temp.imported_lines');
      await client.query(acting, [act.operator, act.requestId, JSON.stringify({ source })]);
      const { unread } = await rowOf<{ unread: number }>(client, countUnread);
      let badLines = unread + (await reportFaults(client, report, faults));
      if (badLines === 0 && !allowDuplicates) badLines = await reportFaults(client, report, duplicates);
      if (badLines > 0) return { kind: 'refused', badLines };
      if (!dryRun) for (const text of writing) await client.query(text).catch(refuseTaken);
      return { kind: 'imported', ...(await rowOf<Record<'campaigns' | 'mirrors', number>>(client, counted)) };
    };
    return inTransaction(pool, run, settings, signal);
  },
});

function refuseTaken(error: unknown): never {
  if (!isTaken(error)) throw error;
  throw new Unavailable(
    'another transaction took a number or a default campaign of the file, ' +
      'or a sequence is behind its table, which doctor names',
  );
}

/** Reports each fault, however many there are; then returns how many lines have any. */
async function reportFaults(
  client: PoolClient,
  report: (line: number, fault: operator.ImportFault) => Promise<void>,
  text: string,
): Promise<number> {
  let badLines = 0;
  let last = 0;
  type Fault = { readonly line: number; readonly fault: operator.ImportFault };
  for await (const { line, fault } of cursorRows<Fault>(client, text)) {
    if (line !== last) badLines += 1;
    last = line;
    await report(line, fault);
  }
  return badLines;
}
