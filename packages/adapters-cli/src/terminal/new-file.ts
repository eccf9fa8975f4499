import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ClearError, reasonOf } from './errors.ts';

/**
 * Writes a file that only its owner can read. It is written under a temporary name in the same folder, and gets its
 * name when all of it is on the disk. On failure the temporary file is removed; a process that is killed leaves it.
 * `contents` is destroyed in any case, even if it was not read.
 * @throws ClearError when it cannot be written, or exists and must not be replaced; and what `contents` throws
 */
export async function writeNewFile(path: string, contents: Readable, replace: boolean): Promise<void> {
  const temporary = join(dirname(path), `unfinished-${randomUUID()}`);
  try {
    await refuseTaken(path, replace);
    await pipeline(contents, createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true }));
    await refuseTaken(path, replace);
    await rename(temporary, path);
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException;
    throw syscall ? new ClearError(`${path} cannot be written: ${reasonOf(error as Error)}`) : error;
  } finally {
    contents.destroy();
    await rm(temporary, { force: true }).catch(() => {});
  }
}

async function refuseTaken(path: string, replace: boolean): Promise<void> {
  const existing = await lstat(path).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (existing && !replace) throw new ClearError(`${path} already exists: name another file`);
  if (existing && !existing.isFile()) throw new ClearError(`${path} is not a file, and is not replaced`);
}
