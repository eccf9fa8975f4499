/**
 * A backup is lines of UTF-8: a header in JSON; for each table one in JSON that names it and its columns, then its
 * rows as COPY's text format has them, up to `\.`; in the end one in JSON with what there was, and the SHA-256 of all
 * that came before it.
 */
export const backupFormat = 'campaign-mirror-backup';

/** Raised when an older version could not read it any more. */
export const backupVersion = 1;

/** In the order in which they can be filled. */
export const backupTables = [
  'campaigns',
  'mirrors',
  'access_keys',
  'mirror_history',
  'operator_audit',
] as const;

export type BackupTable = (typeof backupTables)[number];

export type TableCounts = Readonly<Record<BackupTable, number>>;

export interface BackupHeader {
  readonly format: typeof backupFormat;
  readonly version: number;
  /** Those that the schema had. */
  readonly migrations: readonly string[];
  /** Of PostgreSQL, such as 18.1. */
  readonly server_version: string;
  readonly taken_at: string;
  /** The last number that each table gave, so that none is given again after a restore. */
  readonly last_numbers: TableCounts;
}

export interface TableHeader {
  readonly table: BackupTable;
  readonly columns: readonly string[];
}

export interface BackupEnd {
  readonly rows: TableCounts;
  readonly sha256: string;
}

/** What ends the rows of a table. A value of a row never looks like it. */
export const endOfRows = '\\.\n';

/** How the values of a backup are written, and read, whatever the sessions of a database are set to. */
export const plainValues =
  "set local datestyle = 'ISO, YMD'; set local timezone = 'UTC'; set local bytea_output = 'hex'; " +
  "set local client_encoding = 'UTF8'";

/** So many of each table. */
export async function countsOf(count: (table: BackupTable) => Promise<number>): Promise<TableCounts> {
  const counts: Partial<Record<BackupTable, number>> = {};
  for (const table of backupTables) counts[table] = await count(table);
  return counts as TableCounts;
}
