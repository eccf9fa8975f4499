import { randomUUID } from 'node:crypto';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ClearError, reasonOf } from './errors.ts';

/**
 * Writes a file that only its owner can read: what `fill` writes. It is written under a temporary name in the same folder,
 * and gets its name when all of it is on the disk. On failure the temporary file is removed; a process that is killed leaves
 * it. @throws ClearError when it cannot be written, or exists and must not be replaced; and what `fill` throws
 */
export async function writeNewFile<T>(
  path: string,
  replace: boolean,
  fill: (write: (chunk: Uint8Array) => Promise<true>) => Promise<T>,
): Promise<T> {
  const temporary = join(dirname(path), `unfinished-${randomUUID()}`);
  try {
    await refuseTaken(path, replace);
    await using file = await open(temporary, 'wx', 0o600);
    const filled = await fill((chunk) => file.writeFile(chunk).then(() => true as const));
    await file.sync();
    await refuseTaken(path, replace);
    await rename(temporary, path);
    return filled;
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException;
    throw syscall ? new ClearError(`${path} cannot be written: ${reasonOf(error as Error)}`) : error;
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
}

async function refuseTaken(path: string, replace: boolean): Promise<void> {
  const existing = await lstat(path).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (existing && !replace)
    throw new ClearError(`${path} exists already: --force replaces it, or name another file`);
  if (existing && !existing.isFile()) throw new ClearError(`${path} is not a file: name another one`);
}
