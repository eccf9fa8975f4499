import { pipeline, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { type GivenFile, type Progress, progress, readShown } from '@campaign-mirror/adapters-cli/progress';
import {
  type Call,
  ClearError,
  orStopped,
  refuseTaken,
  writeNewFile,
} from '@campaign-mirror/adapters-cli/terminal';
import {
  BackupFault,
  backupOf,
  openPool,
  restoreBackup,
  type TableCounts,
} from '@campaign-mirror/adapters-persistence/sql';
import { actOn } from '../operator/command-database.ts';

const replacing = { otherwise: 'name another file' };

const pace = 'unhurried';

/** Writes the whole database to a file. Returns the number of rows. @throws ClearError */
export async function backUp(call: Call, path: string): Promise<number> {
  await refuseTaken(path, replacing);
  let bar: Progress | undefined;
  let rows = 0;
  const shown = (read: number, all: number) => {
    rows = read;
    bar ??= progress(call, 'Reading rows', all);
    bar.at(read);
  };
  return actOn(call, openPool, { pace, left: 'nothing was written' }, async ({ database: { pool } }) => {
    const contents = through(backupOf(pool, call.interruption.signal, shown), createGzip());
    await writeNewFile(path, contents, replacing).finally(() => bar?.stop());
    return rows;
  }).catch((error) => {
    throw orStopped(error, 'Stopped. Nothing was written.');
  });
}

/** Restores a backup into an empty database. @throws ClearError */
export async function restoreFrom(call: Call, file: GivenFile): Promise<TableCounts> {
  const { signal } = call.interruption;
  return actOn(call, openPool, { pace, role: 'owner' }, ({ database: { pool }, act }) => {
    const bytes = unpacked(readShown(call, 'Reading', file));
    return restoreBackup(pool, act, { source: file.name, bytes }, signal);
  }).catch((error) => {
    if (error instanceof BackupFault)
      throw new ClearError(`${file.name} cannot be restored: ${error.message}`);
    throw orStopped(error, 'Stopped. Nothing was restored.');
  });
}

/** @throws BackupFault where it was not compressed by a backup, or is not complete */
async function* unpacked(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* through(bytes, createGunzip());
  } catch (error) {
    if (!(error as { code?: string }).code?.startsWith('Z_')) throw error;
    throw new BackupFault('it is damaged, or not a backup of this program');
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
