import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { to } from 'pg-copy-streams';
import { numberOf } from '../connection/rows.ts';
import { ofOneMoment } from '../connection/snapshot.ts';
import { timestampText } from '../schema/schema.ts';
import {
  type BackupEnd,
  type BackupHeader,
  type BackupTable,
  backupFormat,
  backupTables,
  backupVersion,
  countsOf,
  endOfRows,
  plainValues,
} from './backup-format.ts';

/** Is told how far a backup is. */
export interface BackupProgress {
  /** The number of rows of all tables together. */
  total(rows: number): void;
  /** The number of rows read so far. */
  at(rows: number): void;
}

/**
 * The bytes (see `backup-format.ts`) of everything in the database at one moment, including the hashes of keys and the
 * history. `signal` ends the reading at once, by throwing the signal's reason. @throws Unavailable
 */
export function backupOf(
  pool: Pool,
  signal?: AbortSignal,
  progress?: BackupProgress,
): AsyncGenerator<Buffer> {
  return ofOneMoment(pool, signal, (client) => read(client, progress));
}

async function* read(client: PoolClient, progress: BackupProgress | undefined): AsyncGenerator<Buffer> {
  await client.query(plainValues);
  // Before the sequences are read, which are outside the snapshot: they are never below what it contains.
  await client.query('select from campaign_mirror.migrations');
  if (progress) progress.total(await countRows(client));
  const hash = createHash('sha256');
  const hashed = (bytes: Buffer) => {
    hash.update(bytes);
    return bytes;
  };
  const rows: Partial<Record<BackupTable, number>> = {};
  let before = 0;
  yield hashed(jsonLine(await headerOf(client)));
  for (const table of backupTables) {
    const columns = await columnsOf(client, table);
    yield hashed(jsonLine({ table, columns }));
    let count = 0;
    const copy = `copy campaign_mirror.${table} (${quoted(columns)}) to stdout`;
    // As fast as it is read. A chunk ends with a whole line only if the server sends it so.
    for await (const bytes of client.query(to(copy)) as AsyncIterable<Buffer>) {
      count += linesIn(bytes);
      progress?.at(before + count);
      yield hashed(bytes);
    }
    rows[table] = count;
    before += count;
    yield hashed(Buffer.from(endOfRows));
  }
  yield jsonLine({ rows, sha256: hash.digest('hex') } as BackupEnd);
}

async function headerOf(client: PoolClient): Promise<BackupHeader> {
  const { rows } = await client.query<{ server: string; now: string; migrations: string[] }>(
    `select current_setting('server_version') as server, ${timestampText('now()')} as now,
      (select json_agg(name order by name) from campaign_mirror.migrations) as migrations`,
  );
  const [{ server = '', now = '', migrations = [] } = {}] = rows;
  return {
    format: backupFormat,
    version: backupVersion,
    migrations,
    server_version: server,
    taken_at: now,
    last_numbers: await countsOf((table) => lastNumber(client, table)),
  };
}

function lastNumber(client: PoolClient, table: BackupTable): Promise<number> {
  return numberOf(
    client,
    `select case when is_called then last_value else 0 end as number from campaign_mirror.${table}_id_seq`,
  );
}

/** The columns that can be written: generated columns are computed again. */
export async function columnsOf(client: PoolClient, table: BackupTable): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [`campaign_mirror.${table}`],
  );
  return rows.map(({ name }) => name);
}

export function quoted(columns: readonly string[]): string {
  return columns.map((name) => `"${name.replaceAll('"', '""')}"`).join(', ');
}

function countRows(client: PoolClient): Promise<number> {
  const counts = backupTables.map((table) => `(select count(*) from campaign_mirror.${table})`);
  return numberOf(client, `select ${counts.join(' + ')} as number`);
}

function jsonLine(object: object): Buffer {
  return Buffer.from(`${JSON.stringify(object)}\n`);
}

const newline = 10;

/** Each row is a line: a newline in a value is escaped. */
function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) lines += 1;
  return lines;
}
