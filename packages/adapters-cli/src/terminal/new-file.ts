import { randomUUID } from 'node:crypto';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ClearError, reasonOf } from './errors.ts';

/** Whether an existing file can be replaced, and what to say if it cannot. */
export interface Replacing {
  readonly replace?: boolean;
  readonly otherwise: string;
}

/** Checks a path before anything is read for it. @throws ClearError when the path exists and must not be replaced, or is not a file */
export async function refuseTaken(path: string, { replace, otherwise }: Replacing): Promise<void> {
  const there = await lstat(path).catch((error) => {
    if (error.code !== 'ENOENT') throw unwritable(path, error);
  });
  if (!there) return;
  if (!replace) throw new ClearError(`${path} is there already: ${otherwise}`);
  if (!there.isFile()) throw new ClearError(`${path} is no file, and is not replaced`);
}

/**
 * Writes a file that only its owner can read. It gets its name after all of it is on the disk: it is written next to it
 * under a temporary name, which is removed on failure.
 * @throws ClearError when it cannot be written, or already exists; and what `contents` throws
 */
export async function writeNewFile(
  path: string,
  contents: AsyncIterable<string | Buffer>,
  replacing: Replacing,
): Promise<void> {
  await refuseTaken(path, replacing);
  const beside = join(dirname(path), `.${randomUUID()}`);
  const writing = <T>(done: Promise<T>) => done.catch((error) => Promise.reject(unwritable(path, error)));
  const file = await writing(open(beside, 'wx', 0o600));
  try {
    for await (const part of contents) await writing(file.writeFile(part));
    await writing(file.sync());
    // Unlike a rename, a link fails if the name was taken in the meantime; some file systems have none.
    await (replacing.replace ? Promise.reject() : link(beside, path)).catch(async () => {
      await refuseTaken(path, replacing);
      await writing(rename(beside, path));
    });
    await flushFolder(dirname(path));
  } finally {
    await file.close();
    await rm(beside, { force: true });
  }
}

/** A writer to a folder does not always have the right to read it, and some file systems cannot flush one. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

function unwritable(path: string, error: NodeJS.ErrnoException): ClearError {
  const reason = error.code === 'ENOENT' ? 'its folder does not exist' : reasonOf(error);
  return new ClearError(`${path} cannot be written: ${reason}`);
}
