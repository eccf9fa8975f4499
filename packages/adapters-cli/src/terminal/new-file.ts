import { randomUUID } from 'node:crypto';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ClearError, reasonOf } from './errors.ts';

/**
 * Checks a path before anything is read for it.
 * @throws ClearError when the path exists and must not be replaced, or is not a file
 */
export async function refuseTaken(path: string, replace = false): Promise<void> {
  const existing = await lstat(path).catch((error) => {
    if (error.code !== 'ENOENT') throw unwritable(path, error);
  });
  if (!existing) return;
  if (!replace) throw new ClearError(`${path} already exists: name another file`);
  if (!existing.isFile()) throw new ClearError(`${path} is not a file, and is not replaced`);
}

/**
 * Writes a file that only its owner can read. It is written under a temporary name in the same folder, and gets its name
 * when all of it is on the disk. On failure the temporary file is removed; a process that is killed leaves it.
 * @throws ClearError when it cannot be written, or already exists; and what `contents` throws
 */
export async function writeNewFile(
  path: string,
  contents: AsyncIterable<string | Buffer> | Iterable<string>,
  replace = false,
): Promise<void> {
  const temporary = join(dirname(path), `unfinished-${randomUUID()}`);
  const writing = <T>(step: Promise<T>) => step.catch((error) => Promise.reject(unwritable(path, error)));
  const file = await writing(open(temporary, 'wx', 0o600));
  try {
    for await (const part of contents) await writing(file.writeFile(part));
    await writing(file.sync());
    await refuseTaken(path, replace);
    await writing(rename(temporary, path));
    await flushFolder(dirname(path));
  } finally {
    await file.close();
    await rm(temporary, { force: true });
  }
}

/** Failures are ignored: the writer may have no right to read the folder, and some file systems cannot flush one. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

function unwritable(path: string, error: NodeJS.ErrnoException): ClearError {
  return new ClearError(`${path} cannot be written: ${reasonOf(error)}`);
}
