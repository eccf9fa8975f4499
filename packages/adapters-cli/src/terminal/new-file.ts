import { randomUUID } from 'node:crypto';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ClearError } from './clear-error.ts';

/** Whether a file that is there may be replaced, and what to say where it may not. */
export interface Replacing {
  readonly replace?: boolean;
  readonly otherwise: string;
}

/** @throws ClearError when it is there and may not be replaced, or is no file */
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
 * Writes a file for its owner's eyes only. It has its name once all of it is on the disk: written beside, under a
 * name of its own, which is gone where something goes wrong.
 * @throws ClearError when it cannot be written, or is there already; and what `contents` throws
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

/** A link is refused where the name was taken meanwhile, as a rename is not. */
async function name(beside: string, path: string, { replace, otherwise }: Replacing): Promise<void> {
  if (replace) return rename(beside, path);
  try {
    await link(beside, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new ClearError(`${path} is there already: ${otherwise}`);
    // A file system without links: then the look before must do.
    return rename(beside, path);
  }
  await rm(beside);
}

/** Who may write to a folder may not always read it, and some file systems cannot flush one. */
const unflushable = new Set<string | undefined>(['EACCES', 'EINVAL', 'EPERM']);

/** The file is there, so that a folder that cannot be flushed is no reason to say that it is not. */
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
