import { pipeline, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import {
  type InputFile,
  type Progress,
  progress,
  readWithProgress,
} from '@campaign-mirror/adapters-cli/progress';
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

/** Writes the whole database to a file. Returns the number of rows. @throws ClearError */
export async function backUp(call: Call, path: string): Promise<number> {
  await refuseTaken(path);
  let bar: Progress | undefined;
  let rows = 0;
  const onProgress = (read: number, all: number) => {
    rows = read;
    bar ??= progress(call, 'Reading rows', all);
    bar.update(read);
  };
  const options = { pace: 'unhurried', state: 'nothing was written' } as const;
  return actOn(call, openPool, options, async ({ database: { pool } }) => {
    const contents = through(backupOf(pool, call.interruption.signal, onProgress), createGzip());
    await writeNewFile(path, contents).finally(() => bar?.stop());
    return rows;
  }).catch((error) => {
    throw orStopped(error, 'Stopped. Nothing was written.');
  });
}

/** Restores a backup into an empty database. @throws ClearError */
export async function restoreFrom(call: Call, file: InputFile): Promise<TableCounts> {
  const { signal } = call.interruption;
  return actOn(call, openPool, { pace: 'unhurried', role: 'owner' }, ({ database: { pool }, act }) => {
    const bytes = unpacked(readWithProgress(call, 'Reading', file));
    return restoreBackup(pool, act, { source: file.name, bytes }, signal);
  }).catch((error) => {
    if (error instanceof BackupFault)
      throw new ClearError(`${file.name} cannot be restored: ${error.message}`);
    throw orStopped(error, 'Stopped. Nothing was restored.');
  });
}

/** @throws BackupFault if the bytes were not compressed by a backup, or are not complete */
async function* unpacked(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* through(bytes, createGunzip());
  } catch (error) {
    if (!(error as { code?: string }).code?.startsWith('Z_')) throw error;
    throw new BackupFault();
  }
}

/** The bytes as `zip` transforms them. An error of either ends both, and is thrown. */
function through(
  bytes: AsyncIterable<Buffer>,
  zip: NodeJS.ReadWriteStream & AsyncIterable<Buffer>,
): AsyncIterable<Buffer> {
  pipeline(Readable.from(bytes, { objectMode: false }), zip, () => {});
  return zip;
}
