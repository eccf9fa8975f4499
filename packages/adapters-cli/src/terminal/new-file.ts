import { randomUUID } from 'node:crypto';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ClearError } from './clear-error.ts';

/** Whether an existing file can be replaced, and what to say if it cannot. */
export interface Replacing {
  readonly replace?: boolean;
  readonly otherwise: string;
}

/** Checks a path before anything is read for it. @throws ClearError when the path exists and must not be replaced, or is not a file */
export async function refuseTaken(path: string, { replace, otherwise }: Replacing): Promise<void> {
  const there = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unwritable(path, error);
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
  let fault: { readonly of: unknown } | undefined;
  async function* watched() {
    try {
      yield* contents;
    } catch (error) {
      fault = { of: error };
      throw error;
    }
  }
  try {
    const file = await open(beside, 'wx', 0o600);
    await pipeline(watched(), file.createWriteStream({ flush: true }));
    await name(beside, path, replacing);
    await flushFolder(dirname(path));
  } catch (error) {
    await rm(beside, { force: true }).catch(() => {});
    if (fault) throw fault.of;
    throw error instanceof ClearError ? error : unwritable(path, error as NodeJS.ErrnoException);
  }
}

/** Unlike a rename, a link fails if the name was taken in the meantime. */
async function name(beside: string, path: string, { replace, otherwise }: Replacing): Promise<void> {
  if (replace) return rename(beside, path);
  try {
    await link(beside, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new ClearError(`${path} is there already: ${otherwise}`);
    // On a file system without links, the earlier check must be enough.
    return rename(beside, path);
  }
  await rm(beside);
}

/**
 * A user with write access to a folder does not always have read access, and some file systems cannot flush a folder.
 */
const unflushable = new Set<string | undefined>(['EACCES', 'EINVAL', 'EPERM']);

/** The file exists, so a folder that cannot be flushed is not an error. */
async function flushFolder(path: string): Promise<void> {
  try {
    await using folder = await open(path, 'r');
    await folder.sync();
  } catch (error) {
    if (!unflushable.has((error as NodeJS.ErrnoException).code)) throw error;
  }
}

function unwritable(path: string, { code, message }: NodeJS.ErrnoException): ClearError {
  return new ClearError(`${path} cannot be written (${code ?? message})`);
}
