import { pipeline, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { type GivenFile, type Progress, progress, readShown } from '@campaign-mirror/adapters-cli/progress';
import { ClearError, orStopped, type Replacing, writeNewFile } from '@campaign-mirror/adapters-cli/terminal';
import {
  BackupFault,
  backupOf,
  restoreBackup,
  type TableCounts,
} from '@campaign-mirror/adapters-persistence/sql';
import { orReadingEnded } from '../database/connection-advice.ts';
import type { Acting } from '../operator/command-database.ts';

/** Writes the whole database to a file. Returns the number of rows. @throws ClearError, Unavailable */
export async function backUp(
  { database, call }: Acting,
  path: string,
  replacing: Replacing,
): Promise<number> {
  let bar: Progress | undefined;
  let rows = 0;
  const contents = backupOf(database.pool, call.interruption.signal, {
    total: (total) => {
      bar = progress(call, 'Reading rows', total);
    },
    at: (read) => {
      rows = read;
      bar?.at(read);
    },
  });
  try {
    await writeNewFile(path, through(contents, createGzip()), replacing);
    return rows;
  } catch (error) {
    throw orStopped(orReadingEnded(error, 'nothing was written'), 'Stopped. Nothing was written.');
  } finally {
    bar?.stop();
  }
}

/** Restores a backup into an empty database. @throws ClearError, Unavailable */
export async function restoreFrom({ database, act, call }: Acting, file: GivenFile): Promise<TableCounts> {
  const bytes = unpacked(readShown(call, 'Reading', file));
  try {
    const { signal } = call.interruption;
    const outcome = await restoreBackup(database.pool, act, { source: file.name, bytes }, signal);
    if (outcome.kind === 'restored') return outcome.rows;
    if (outcome.kind === 'held') {
      throw new ClearError(
        'the database is in use: nothing was restored; stop whatever writes to it and run it again',
      );
    }
    throw new ClearError(
      `the database is not empty (there are rows in ${outcome.table}): restore into a new one; ` +
        'where they are of the demonstration set, DEMO=off makes none',
    );
  } catch (error) {
    if (error instanceof BackupFault)
      throw new ClearError(`${file.name} cannot be restored: ${error.message}`);
    throw orStopped(error, 'Stopped. Nothing was restored.');
  }
}

/** @throws BackupFault where it was not compressed by a backup, or is not complete */
async function* unpacked(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* through(bytes, createGunzip());
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'Z_BUF_ERROR') throw new BackupFault('it is damaged: it ends too early');
    if (code?.startsWith('Z_')) throw new BackupFault('it is damaged, or no backup of this program');
    throw error;
  }
}

/** An error of either ends both, and is thrown. */
function through(
  bytes: AsyncIterable<Buffer>,
  zip: NodeJS.ReadWriteStream & AsyncIterable<Buffer>,
): AsyncIterable<Buffer> {
  pipeline(Readable.from(bytes, { objectMode: false }), zip, () => {});
  return zip;
}
