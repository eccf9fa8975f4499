import { migrationNames } from '../schema/migration-names.ts';
import {
  type BackupEnd,
  type BackupHeader,
  type BackupTable,
  backupFormat,
  backupTables,
  backupVersion,
  type TableCounts,
  type TableHeader,
} from './backup-format.ts';
import { BackupFault, damaged, foreign } from './backup-reader.ts';

const newer = 'it is from a newer version of this program: restore it with that version';

/** @throws BackupFault where it is not a backup, or needs a newer version to be read */
export function checkedHeader(object: unknown): BackupHeader {
  const { format, version, migrations: had, last_numbers } = fieldsOf(object);
  if (format !== backupFormat) throw foreign();
  if (!Number.isSafeInteger(version) || !Array.isArray(had) || !isCounts(last_numbers)) {
    throw damaged('its header is incomplete');
  }
  const known: readonly string[] = migrationNames;
  if (Number(version) > backupVersion || had.some((name) => !known.includes(name))) {
    throw new BackupFault(newer);
  }
  return object as BackupHeader;
}

/** The next table, or the end. @throws BackupFault where it is neither, or a table occurs twice */
export function checkedPart(object: unknown, seen: ReadonlySet<BackupTable>): TableHeader | BackupEnd {
  const { table, columns, rows, sha256 } = fieldsOf(object);
  if (isCounts(rows) && typeof sha256 === 'string') return object as BackupEnd;
  const isTable = backupTables.some((known) => known === table) && !seen.has(table as BackupTable);
  if (!isTable || !Array.isArray(columns) || columns.length === 0) throw damaged('a table is not known');
  return object as TableHeader;
}

/** @throws BackupFault where the database has no such columns */
export function checkColumns({ table, columns }: TableHeader, known: readonly string[]): void {
  const unknown = columns.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new BackupFault(`this version has no columns ${unknown.join(', ')} of ${table}: ${newer}`);
  }
}

/** @throws BackupFault where the contents differ from what was written */
export function checkEnd(written: BackupEnd, rows: Partial<TableCounts>, sha256: string): void {
  if (written.sha256 !== sha256) throw damaged('its checksum is another');
  for (const table of backupTables) {
    if (rows[table] !== written.rows[table]) throw damaged(`rows of ${table} are missing`);
  }
}

function isCounts(value: unknown): value is TableCounts {
  const counts = fieldsOf(value);
  return backupTables.every((table) => Number.isSafeInteger(counts[table]));
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
