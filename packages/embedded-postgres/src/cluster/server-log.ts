import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const day = 24 * 60 * 60_000;
const largest = 64 * 1024 * 1024;

/** The sizes of the log files by name, for `loggedSince`. */
export async function logSizes(logs: string): Promise<Map<string, number>> {
  const names = await readdir(logs).catch(() => []);
  const sizes = names.map(async (name) => [name, (await fileStat(join(logs, name)))?.size ?? 0] as const);
  return new Map(await Promise.all(sizes));
}

/** What was logged since the sizes were taken. */
export async function loggedSince(logs: string, before: Map<string, number>): Promise<string> {
  const names = await readdir(logs).catch(() => []);
  const added = names.map(async (name) => {
    const bytes = await readFile(join(logs, name)).catch(() => Buffer.alloc(0));
    return bytes.subarray(before.get(name) ?? 0).toString();
  });
  return (await Promise.all(added)).join('');
}

/** The server appends to the file of the day it starts on, so files of last week or too large are removed first. */
export async function trimLogs(logs: string): Promise<void> {
  for (const name of await readdir(logs).catch(() => [])) {
    const found = await fileStat(join(logs, name));
    if (found === undefined || (Date.now() - found.mtimeMs < 6 * day && found.size < largest)) continue;
    await rm(join(logs, name), { force: true }).catch(() => {});
  }
}

/** The last FATAL or PANIC message, without its time and process. */
export function lastFatal(text: string): string | undefined {
  return [...text.matchAll(/(?:FATAL|PANIC):\s+(.*)/g)].at(-1)?.[1];
}

async function fileStat(file: string) {
  return await stat(file).catch(() => undefined);
}
