import { type OperatorAct, Unavailable } from '@campaign-mirror/domain';
import type { Pool, PoolClient } from 'pg';
import { codeOf, isHeld } from '../connection/database-faults.ts';
import { refuseOtherEncoding } from '../connection/server.ts';
import { stoppable, withoutTimeouts } from '../connection/stoppable.ts';
import { inTransaction, noteIn } from '../connection/transaction.ts';
import { columnsOf, quoted } from './backup.ts';
import { checkColumns, checkEnd, checkedHeader, checkedPart } from './backup-check.ts';
import {
  type BackupHeader,
  type BackupTable,
  backupTables,
  plainValues,
  type TableCounts,
} from './backup-format.ts';
import { BackupReader, damaged } from './backup-reader.ts';
import { copyIn } from './copy-rows.ts';
import { moveOn } from './number-sequences.ts';

/** The result of a restore. Nothing was written unless it is `restored`. */
export type RestoreOutcome =
  | { readonly kind: 'restored'; readonly rows: TableCounts; readonly header: BackupHeader }
  | { readonly kind: 'not-empty'; readonly table: BackupTable }
  /** Another session writes there, or restores. */
  | { readonly kind: 'held' };

/**
 * Nobody else writes until the end: what has history or an audit begins with one of these tables, and the operator may
 * not lock the others. Reading continues. While this waits for its locks, later writers wait behind it.
 */
const keepOthersOut = `set local lock_timeout = '5s';
  lock table campaign_mirror.campaigns, campaign_mirror.mirrors, campaign_mirror.access_keys
    in share row exclusive mode;
  set local lock_timeout = 0`;

/**
 * Restores a backup into an empty database: all of it, or nothing. `source` is its origin, for the audit. `signal` ends
 * it at once, with nothing restored, by throwing the signal's reason.
 * @throws BackupFault when it is not complete, or not for this version; UnfitDatabase; Unavailable; what `bytes`
 *   throws
 */
export async function restoreBackup(
  pool: Pool,
  act: OperatorAct,
  { source, bytes }: { readonly source: string; readonly bytes: AsyncIterable<Buffer> },
  signal?: AbortSignal,
): Promise<RestoreOutcome> {
  try {
    return await inTransaction(
      pool,
      (client) =>
        stoppable(signal, pool, client, async () => {
          const taken = await takeOver(client);
          if (taken) return taken;
          const { header, rows } = await fill(client, new BackupReader(bytes));
          const details = { source, taken_at: header.taken_at, ...rows };
          await noteIn(client, act, { act: 'backup-restored', details });
          return { kind: 'restored', header, rows };
        }),
      { settings: `${withoutTimeouts}; ${plainValues}` },
    );
  } catch (error) {
    if (error instanceof Unavailable && isHeld(error.cause)) return { kind: 'held' };
    throw error;
  }
}

/** Locks all others out of an empty database. Where the database is not empty, nobody has to wait. */
async function takeOver(client: PoolClient): Promise<RestoreOutcome | undefined> {
  await refuseOtherEncoding(client);
  const filled = await filledTable(client);
  if (filled) return { kind: 'not-empty', table: filled };
  await client.query(keepOthersOut);
  const meanwhile = await filledTable(client);
  return meanwhile && { kind: 'not-empty', table: meanwhile };
}

/** The first table that is not empty. */
async function filledTable(client: PoolClient): Promise<BackupTable | undefined> {
  for (const table of backupTables) {
    const { rowCount } = await client.query(`select from campaign_mirror.${table} limit 1`);
    if (rowCount) return table;
  }
  return undefined;
}

async function fill(
  client: PoolClient,
  reader: BackupReader,
): Promise<{ header: BackupHeader; rows: TableCounts }> {
  const header = checkedHeader((await reader.object()).object);
  const rows: Partial<Record<BackupTable, number>> = {};
  const seen = new Set<BackupTable>();
  for (;;) {
    const { object, sha256 } = await reader.object();
    const part = checkedPart(object, seen);
    if ('sha256' in part) {
      checkEnd(part, rows, sha256);
      await reader.end();
      for (const table of backupTables) await moveOn(client, table, header.last_numbers[table]);
      return { header, rows: part.rows };
    }
    const { table, columns } = part;
    seen.add(table);
    checkColumns(part, await columnsOf(client, table));
    const copy = `copy campaign_mirror.${table} (${quoted(columns)}) from stdin`;
    rows[table] = await copyIn(client, copy, reader.rows()).catch((error) =>
      Promise.reject(unfitting(error)),
    );
  }
}

/** A value that the table rejects was not written by a backup. */
function unfitting(error: unknown): unknown {
  return /^2[23]...$/.test(codeOf(error)) ? damaged('a row does not fit its table') : error;
}
