import * as domain from '@campaign-mirror/domain';
import type { Pool, PoolClient } from 'pg';
import { codeOf, isRetryable } from '../connection/database-faults.ts';
import { rowsOf } from '../connection/rows.ts';
import { stoppable, withoutTimeouts } from '../connection/stoppable.ts';
import { actIn, inTransaction } from '../connection/transaction.ts';
import { countedUpTo } from '../schema/tables.ts';
import { copyIn, copyLine } from './copy-rows.ts';
import { reportDuplicates, reportFaults } from './import-faults.ts';
import { moveOn } from './number-sequences.ts';

/** The lines to import and their faults, until the end of the transaction. */
const create = `
  create temporary table imported_lines (
    line bigint, faults json,
    id bigint, name text, owner_id bigint, is_default boolean, created_at timestamptz(6),
    mirror_id bigint, target_url text, clicks bigint, updated_externally boolean, updated_externally_at timestamptz(6),
    mirror_created_at timestamptz(6), mirror_updated_at timestamptz(6),
    default_of bigint generated always as (case when is_default then owner_id end) stored
  ) on commit drop`;

const copy = `copy pg_temp.imported_lines (line, faults, ${domain.campaignFields.join(', ')}) from stdin`;

/** The rows, in pieces of some 64 KiB, which the server takes faster than single ones. */
async function* rowsFor(lines: AsyncIterable<domain.ImportLine>): AsyncGenerator<string> {
  let text = '';
  for await (const line of lines) {
    text += rowOf(line);
    if (text.length < 65_536) continue;
    yield text;
    text = '';
  }
  yield text;
}

function rowOf(line: domain.ImportLine): string {
  const faults = 'faults' in line ? JSON.stringify(line.faults) : null;
  const fields = 'campaign' in line ? domain.fieldsOf(line.campaign) : undefined;
  return copyLine([line.line, faults, ...domain.campaignFields.map((field) => fields?.[field] ?? null)]);
}

/** The number of attempts, if other sessions take a number between the check and the write. */
const maxTries = 5;

/** Assigned after the numbers that the lines name, in the order of the lines. */
const newNumbers = [
  "update pg_temp.imported_lines set id = nextval('campaign_mirror.campaigns_id_seq') where id is null",
  `update pg_temp.imported_lines set mirror_id = nextval('campaign_mirror.mirrors_id_seq')
    where mirror_id is null and target_url is not null`,
];

const insertCampaigns = `
  insert into campaign_mirror.campaigns (id, name, owner_id, is_default, created_at)
  select id, name, owner_id, is_default, coalesce(created_at, now()) from pg_temp.imported_lines order by id`;

const insertMirrors = `
  insert into campaign_mirror.mirrors (id, campaign_id, target_url, clicks, updated_externally,
    updated_externally_at, created_at, updated_at)
  select mirror_id, id, target_url, clicks, updated_externally, updated_externally_at,
    coalesce(mirror_created_at, now()), coalesce(mirror_updated_at, now())
  from pg_temp.imported_lines where target_url is not null order by mirror_id`;

/** The number of rows that the lines create. */
const counted = 'select count(*) as campaigns, count(target_url) as mirrors from pg_temp.imported_lines';

/**
 * Imports campaigns from elsewhere, in PostgreSQL. No existing campaign is locked. `signal` ends an import at once, with
 * nothing imported, by throwing the signal's reason.
 */
export function postgresCampaignImport(
  pool: Pool,
  act: domain.OperatorAct,
  signal?: AbortSignal,
): domain.CampaignImport {
  return {
    importAll: (source, lines, report, options) =>
      inTransaction(
        pool,
        (client) =>
          stoppable(signal, pool, client, async () => {
            await client.query(create);
            await copyIn(client, copy, rowsFor(lines));
            await client.query('analyze pg_temp.imported_lines');
            await actIn(client, act, { source });
            return judgeAndWrite(client, report, options);
          }),
        withoutTimeouts,
      ),
  };
}

async function judgeAndWrite(
  client: PoolClient,
  report: (bad: domain.BadLine) => Promise<void>,
  { dryRun, allowDuplicates }: domain.ImportOptions,
): Promise<domain.ImportOutcome> {
  for (let tried = 0; tried < maxTries; tried++) {
    let badLines = await reportFaults(client, report);
    if (badLines === 0 && !allowDuplicates) badLines = await reportDuplicates(client, report);
    if (badLines > 0) return { kind: 'refused', badLines };
    if (!dryRun && !(await isWritten(client))) continue;
    const [counts = { campaigns: 0, mirrors: 0 }] = await rowsOf<Counts>(client, counted);
    return { kind: 'imported', ...counts };
  }
  throw new domain.Unavailable('others took the same numbers each time');
}

type Counts = Record<'campaigns' | 'mirrors', number>;

/** False, with nothing written, if another session took a number or a default meanwhile. */
async function isWritten(client: PoolClient): Promise<boolean> {
  await client.query('savepoint unwritten');
  try {
    await write(client);
    return true;
  } catch (error) {
    if (codeOf(error) !== '23505' && !isRetryable(error)) throw error;
    await client.query('rollback to savepoint unwritten');
    return false;
  }
}

const lastNumbers = `
  with stored as (select table_name, highest from campaign_mirror.numbers)
  select
    greatest(max(id) filter (where id <= $1), (select highest from stored where table_name = 'campaigns')) as campaigns,
    greatest(max(mirror_id) filter (where mirror_id <= $1), (select highest from stored where table_name = 'mirrors')) as mirrors
  from pg_temp.imported_lines`;

async function write(client: PoolClient): Promise<void> {
  const [last = { campaigns: 0, mirrors: 0 }] = await rowsOf<Counts>(client, lastNumbers, [countedUpTo]);
  // First, so that a campaign created meanwhile gets none of these numbers; also if a sequence is behind its table.
  await moveOn(client, 'campaigns', last.campaigns);
  await moveOn(client, 'mirrors', last.mirrors);
  for (const text of [...newNumbers, insertCampaigns, insertMirrors]) await client.query(text);
}
