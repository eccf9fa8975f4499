import {
  type BadLine,
  type CampaignImport,
  claimsOf,
  type ImportLine,
  type ImportOptions,
  type ImportOutcome,
  type OperatorAct,
  Unavailable,
} from '@campaign-mirror/domain';
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
    id bigint, name text, mirror_id bigint, default_of bigint,
    owner_id bigint, is_default boolean, created_at timestamptz(6), target_url text, clicks bigint,
    updated_externally boolean, updated_externally_at timestamptz(6),
    mirror_created_at timestamptz(6), mirror_updated_at timestamptz(6)
  ) on commit drop`;

/** Rows are sent in pieces of about this many characters. */
const pieceLength = 65_536;

export async function fillImportTable(client: PoolClient, lines: AsyncIterable<ImportLine>): Promise<void> {
  await client.query(create);
  await copyIn(client, 'copy pg_temp.imported_lines from stdin', pieces(lines));
  await client.query('analyze pg_temp.imported_lines');
}

async function* pieces(lines: AsyncIterable<ImportLine>): AsyncGenerator<string> {
  let text = '';
  for await (const line of lines) {
    text += rowOf(line);
    if (text.length < pieceLength) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

function rowOf(line: ImportLine): string {
  const isGood = 'campaign' in line;
  const { id, name, mirrorId, defaultOf } = isGood ? claimsOf(line.campaign) : line.claims;
  const faults = isGood ? null : JSON.stringify(line.faults);
  const claims = [line.line, faults, id, name, mirrorId, defaultOf];
  if (!isGood) return copyLine([...claims, null, null, null, null, null, null, null, null, null]);
  const { ownerId, isDefault, createdAt, mirror } = line.campaign;
  return copyLine([
    ...claims,
    ownerId,
    isDefault,
    createdAt,
    mirror?.targetUrl ?? null,
    mirror?.clicks ?? null,
    mirror?.updatedExternally ?? null,
    mirror?.updatedExternallyAt ?? null,
    mirror?.createdAt ?? null,
    mirror?.updatedAt ?? null,
  ]);
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

/** The number of rows that the lines would create. */
const counted = 'select count(*) as campaigns, count(target_url) as mirrors from pg_temp.imported_lines';

const defaultOptions: ImportOptions = { dryRun: false, allowDuplicates: true };

/** Imports campaigns from elsewhere, in PostgreSQL. No existing campaign is locked. */
export class PostgresCampaignImport implements CampaignImport {
  readonly #pool: Pool;
  readonly #act: OperatorAct;
  readonly #signal: AbortSignal | undefined;

  /** `signal` ends an import at once, with nothing imported, by throwing the signal's reason. */
  constructor(pool: Pool, act: OperatorAct, signal?: AbortSignal) {
    this.#pool = pool;
    this.#act = act;
    this.#signal = signal;
  }

  importAll(
    source: string,
    lines: AsyncIterable<ImportLine>,
    report: (bad: BadLine) => Promise<void>,
    terms = defaultOptions,
  ): Promise<ImportOutcome> {
    return inTransaction(
      this.#pool,
      (client) =>
        stoppable(this.#signal, this.#pool, client, async () => {
          await fillImportTable(client, lines);
          await actIn(client, this.#act, { source });
          return this.#judgeAndWrite(client, report, terms);
        }),
      withoutTimeouts,
    );
  }

  async #judgeAndWrite(
    client: PoolClient,
    report: (bad: BadLine) => Promise<void>,
    { dryRun, allowDuplicates }: ImportOptions,
  ): Promise<ImportOutcome> {
    for (let tried = 0; tried < maxTries; tried++) {
      const badLines = await reportFaults(client, report);
      if (badLines > 0) return { kind: 'refused', badLines };
      const lines = allowDuplicates ? 0 : await reportDuplicates(client, report);
      if (lines > 0) return { kind: 'duplicates', lines };
      if (dryRun) {
        const [would] = await rowsOf<Written>(client, counted);
        return { kind: 'would-import', ...(would as Written) };
      }
      const written = await unlessTaken(client, () => write(client));
      if (written) return { kind: 'imported', ...written };
    }
    throw new Unavailable('others took the same numbers each time');
  }
}

type Written = Record<'campaigns' | 'mirrors', number>;

async function write(client: PoolClient): Promise<Written> {
  const { rows } = await client.query<{ campaigns: string | null; mirrors: string | null }>(
    `select
      greatest(max(id), (select max(id) from campaign_mirror.campaigns where id <= $1)) as campaigns,
      greatest(max(mirror_id), (select max(id) from campaign_mirror.mirrors where id <= $1)) as mirrors
    from (select case when id <= $1 then id end as id, case when mirror_id <= $1 then mirror_id end as mirror_id
      from pg_temp.imported_lines) as counted`,
    [countedUpTo],
  );
  // First, so that a campaign created meanwhile gets none of these numbers; also if a sequence is behind its table.
  await moveOn(client, 'campaigns', Number(rows[0]?.campaigns));
  await moveOn(client, 'mirrors', Number(rows[0]?.mirrors));
  for (const text of newNumbers) await client.query(text);
  const campaigns = await client.query(insertCampaigns);
  const mirrors = await client.query(insertMirrors);
  return { campaigns: campaigns.rowCount ?? 0, mirrors: mirrors.rowCount ?? 0 };
}

/** Undefined, with nothing written, if another session took a number or a default meanwhile. */
async function unlessTaken<T>(client: PoolClient, act: () => Promise<T>): Promise<T | undefined> {
  await client.query('savepoint unwritten');
  try {
    return await act();
  } catch (error) {
    if (codeOf(error) !== '23505' && !isRetryable(error)) throw error;
    await client.query('rollback to savepoint unwritten');
    return undefined;
  }
}
