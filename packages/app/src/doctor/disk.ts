import { stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Finding, ok, problem, warning } from './findings.ts';

const gibibyte = 2 ** 30;
/** In bytes: below the first, space is short; below the second, a checkpoint may fail. */
const tight = 2 * gibibyte;
const full = gibibyte / 4;

/** The free space on the disk of the embedded database. */
export async function checkDisk(
  folder: string,
  free: (path: string) => Promise<number> = freeBytes,
): Promise<Finding> {
  const path = await existing(resolve(folder));
  const bytes = await free(path);
  const says = `${(bytes / gibibyte).toFixed(1)} GiB are free for DATA_DIR (${path})`;
  if (bytes >= tight) return ok('disk', says);
  const advice = 'make room, prune the history (`./campaign-mirror history prune`), or move DATA_DIR';
  return bytes < full ? problem('disk', says, advice) : warning('disk', says, advice);
}

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

async function existing(path: string): Promise<string> {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    if (await stat(at).catch(() => undefined)) return at;
  }
  return '/';
}
