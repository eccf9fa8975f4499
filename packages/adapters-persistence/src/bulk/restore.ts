import { type OperatorAct, Unavailable } from '@campaign-mirror/domain';
import { type ClientBase, escapeIdentifier, type Pool, type PoolClient } from 'pg';
import { codeOf, isLocked } from '../connection/database-faults.ts';
import { UnfitDatabase } from '../connection/pool.ts';
import { rowsOf } from '../connection/rows.ts';
import { stoppable, withoutTimeouts } from '../connection/stoppable.ts';
import { inTransaction } from '../connection/transaction.ts';
import { migrationNames, namesOf } from '../schema/schema.ts';
import {
  type BackupHeader,
  type BackupTable,
  backupFormat,
  backupTables,
  backupVersion,
  plainValues,
  type TableCounts,
} from './backup.ts';
import { BackupFault, BackupReader } from './backup-reader.ts';
import { copyIn } from './copy-rows.ts';
import { moveOn } from './number-sequences.ts';
import { readVersion1 } from './restore-version-1.ts';

/**
 * Nobody else writes until the end. Reading continues. While this waits for its locks, later writers wait behind it.
 */
const keepOthersOut = `set local lock_timeout = '5s';
  lock table ${backupTables.map((table) => `campaign_mirror.${table}`).join(', ')} in share row exclusive mode;
  set local lock_timeout = 0`;

/** Restored rows are not acts of their own: the restoring is one. */
const restoring = "set local campaign_mirror.restoring = 'on'";

const noteText = `
  insert into campaign_mirror.operator_audit (act, operator, request_id, details)
  values ('backup-restored', $1, $2, $3)`;

/**
 * Restores a backup into an empty database, as the owner of its tables: all of it, or nothing. `source` is its origin,
 * for the audit. `signal` ends it at once, with nothing restored, by throwing the signal's reason. Returns the number
 * of rows of each table.
 * @throws BackupFault when it is not complete, or not for this version; UnfitDatabase if there is data already,
 *   others write, or the user is not the owner; Unavailable; what `bytes` throws
 */
export async function restoreBackup(
  pool: Pool,
  act: OperatorAct,
  { source, bytes }: { readonly source: string; readonly bytes: AsyncIterable<Buffer> },
  signal?: AbortSignal,
): Promise<TableCounts> {
  try {
    return await inTransaction(
      pool,
      (client) =>
        stoppable(signal, pool, client, async () => {
          await takeOver(client);
          const { taken_at, rows } = await fill(client, new BackupReader(bytes));
          const details = JSON.stringify({ source, taken_at, ...rows });
          await client.query(noteText, [...namesOf(act), details]);
          return rows;
        }),
      `${withoutTimeouts}; ${plainValues}; ${restoring}`,
    );
  } catch (error) {
    if (!(error instanceof Unavailable && isLocked(error.cause))) throw error;
    throw new UnfitDatabase(
      'the database is in use: nothing was restored; stop whatever writes to it and run it again',
    );
  }
}

/**
 * Locks all others out of an empty database. If the database is not empty, nobody has to wait. Only the owner may write the
 * history and the audit as they were. @throws UnfitDatabase
 */
async function takeOver(client: PoolClient): Promise<void> {
  const { rowCount } = await client.query(
    "select from pg_namespace where nspname = 'campaign_mirror' and pg_has_role(nspowner, 'usage')",
  );
  if (rowCount === 0) {
    throw new UnfitDatabase(
      'a backup is restored by the owner of the schema: use the user that runs `migrate`',
    );
  }
  await refuseData(client);
  await client.query(keepOthersOut);
  await refuseData(client);
}

/** @throws UnfitDatabase if a table is not empty */
async function refuseData(client: PoolClient): Promise<void> {
  const table = await filledTable(client);
  if (!table) return;
  throw new UnfitDatabase(
    `the database is not empty (there are rows in ${table}): restore into a new one; ` +
      'where they are of the demonstration set, DEMO=off makes none',
  );
}

/** The first table that is not empty; undefined if all are empty. @throws Unavailable */
export async function filledTable(database: Pool | ClientBase): Promise<BackupTable | undefined> {
  for (const table of backupTables) {
    const rows = await rowsOf(database, `select from campaign_mirror.${table} limit 1`);
    if (rows.length > 0) return table;
  }
  return undefined;
}

async function fill(
  client: PoolClient,
  reader: BackupReader,
): Promise<{ taken_at: string; rows: TableCounts }> {
  const { version, taken_at, last_numbers } = checkedHeader((await reader.object()).object);
  const earlier = version === 1 ? await readVersion1(client) : undefined;
  const rows: Partial<Record<BackupTable, number>> = {};
  for (;;) {
    const { object, sha256 } = await reader.object();
    const table = backupTables.find((name) => name === object.table && rows[name] === undefined);
    if (!table) {
      if (object.sha256 !== sha256) throw new BackupFault();
      break;
    }
    const columns = [object.columns].flat().map((name) => escapeIdentifier(String(name)));
    const copy = `copy ${earlier?.tables[table] ?? `campaign_mirror.${table}`} (${columns.join(', ')}) from stdin`;
    rows[table] = await copyIn(client, copy, reader.rows()).catch(throwUnfitting);
  }
  await reader.end();
  await earlier?.link();
  for (const table of backupTables) await moveOn(client, table, last_numbers[table]);
  return { taken_at, rows: rows as TableCounts };
}

const newer = 'it is from a newer version of this program: restore it with that version';

/** @throws BackupFault if it is not the header of a backup, or needs a newer version of this program */
function checkedHeader(object: Readonly<Record<string, unknown>>): BackupHeader {
  const { format, version, migrations: had } = object;
  if (format !== backupFormat || !Array.isArray(had)) throw new BackupFault();
  const known: readonly string[] = migrationNames;
  // The migrations of a backup of version 1 have other names.
  const isKnown = version === 1 || had.every((name) => known.includes(name));
  if (Number(version) > backupVersion || !isKnown) throw new BackupFault(newer);
  return object as unknown as BackupHeader;
}

/** For a fault of COPY: a column or a value that the table does not take was not written by a backup. */
function throwUnfitting(error: unknown): never {
  throw /^(?:2[23]...|42703)$/.test(codeOf(error)) ? new BackupFault() : error;
}
