import type { PoolClient } from 'pg';

/**
 * A backup is lines of UTF-8: a header in JSON; for each table, a line of JSON with its name and columns, then its rows
 * in COPY's text format, up to `\.`; at the end, a line of JSON with the SHA-256 of everything before it.
 */
export const backupFormat = 'campaign-mirror-backup';

/**
 * Raised when an older version could no longer read the format. 1: mirrors without facts, a history without links
 * (`restore-version-1.ts`).
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

/** A table that a backup contains. */
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
export async function columnsOf(client: PoolClient, table: BackupTable): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [`campaign_mirror.${table}`],
  );
  return rows.map(({ name }) => name);
}
