import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { to } from 'pg-copy-streams';
import { numberOf, rowsOf } from '../connection/rows.ts';
import { ofOneMoment } from '../connection/transaction.ts';
import { timestampText } from '../schema/schema.ts';

/**
 * A backup is lines of UTF-8: a header in JSON; for each table, a line of JSON with its name and columns, then its rows
 * in COPY's text format, up to `\.`; at the end, a line of JSON with the SHA-256 of everything before it.
 */
export const backupFormat = 'campaign-mirror-backup';

/**
 * Raised when an older version could no longer read the format. In version 1, mirrors have no facts, and the history has
 * no links (`restore-version-1.ts`).
 */
export const backupVersion = 2;

/** In the order in which they can be filled. */
export const backupTables = [
  'campaigns',
  'mirrors',
  'access_keys',
  'mirror_history',
  'operator_audit',
] as const;

export type BackupTable = (typeof backupTables)[number];

/** The number of rows of each table. */
export type TableCounts = Readonly<Record<BackupTable, number>>;

export interface BackupHeader {
  readonly format: typeof backupFormat;
  readonly version: number;
  /** The migrations applied to the schema. */
  readonly migrations: readonly string[];
  /** The version of PostgreSQL, such as 18.1. */
  readonly server_version: string;
  readonly taken_at: string;
  /** The last number that each table assigned, so that none is assigned again after a restore. */
  readonly last_numbers: TableCounts;
}

/** Ends the rows of a table. No value of a row looks like it. */
export const endOfRows = '\\.\n';

/** How the values of a backup are written and read, whatever the session's defaults are. */
export const plainValues =
  "set local datestyle = 'ISO, YMD'; set local timezone = 'UTC'; set local bytea_output = 'hex'; " +
  "set local client_encoding = 'UTF8'";

/** The columns of a table, in their order. */
async function columnsOf(client: PoolClient, table: BackupTable): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [`campaign_mirror.${table}`],
  );
  return rows.map(({ name }) => name);
}

const counts = backupTables.map((table) => `(select count(*) from campaign_mirror.${table})`);
const countText = `select ${counts.join(' + ')} as number`;

const lastNumbers = backupTables.map(
  (table) =>
    `'${table}', (select case when is_called then last_value else 0 end from campaign_mirror.${table}_id_seq)`,
);
/** The sequences are outside the snapshot, and read after it was taken: they are never below what it contains. */
const headerText = `
  select current_setting('server_version') as server_version, ${timestampText('now()')} as taken_at,
    (select json_agg(name order by name) from campaign_mirror.migrations) as migrations,
    json_build_object(${lastNumbers.join(', ')}) as last_numbers`;

/**
 * The bytes, in the format above, of everything in the database at one moment, including the hashes of keys and the
 * history. `signal` ends the reading at once, by throwing the signal's reason. `onProgress` receives the number of rows
 * read so far, and the number of all rows. @throws Unavailable
 */
export function backupOf(
  pool: Pool,
  signal: AbortSignal,
  onProgress: (rows: number, all: number) => void,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const hashed = (bytes: Buffer) => {
    hash.update(bytes);
    return bytes;
  };
  const line = (object: object) => Buffer.from(`${JSON.stringify(object)}\n`);
  return ofOneMoment(pool, signal, async function* (client) {
    await client.query(plainValues);
    const all = await numberOf(client, countText);
    let rows = 0;
    onProgress(rows, all);
    const [taken] = await rowsOf(client, headerText);
    yield hashed(line({ format: backupFormat, version: backupVersion, ...taken }));
    for (const table of backupTables) {
      const columns = await columnsOf(client, table);
      yield hashed(line({ table, columns }));
      const copy = `copy campaign_mirror.${table} (${columns.join(', ')}) to stdout`;
      // The server sends as fast as this is read. A chunk ends with a whole line only if the server sends it so.
      for await (const bytes of client.query(to(copy)) as AsyncIterable<Buffer>) {
        // Each row is a line: a newline in a value is escaped.
        rows += bytes.toString('latin1').split('\n').length - 1;
        onProgress(rows, all);
        yield hashed(bytes);
      }
      yield hashed(Buffer.from(endOfRows));
    }
    yield line({ sha256: hash.digest('hex') });
  });
}
