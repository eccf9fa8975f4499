import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedError } from './embedded-error.ts';

/** Copying 60 MB takes a second or two, on a slow disk some more; in milliseconds. */
const longestWait = 120_000;

/**
 * Acts while no other process does so under the same lock. Node has no locks of files; SQLite, which it brings, has,
 * and they end with their process, whatever way it ends. The file stays, empty.
 */
export async function lockedBy<T>(file: string, act: () => Promise<T>): Promise<T> {
  const { DatabaseSync } = await import('node:sqlite');
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    for (const deadline = Date.now() + longestWait; !isTaken(lock); await pause(20))
      if (Date.now() > deadline)
        throw new EmbeddedError(`Another process holds ${file} and does not end: end it, then start again.`);
    return await act();
  } finally {
    lock.close();
  }
}

const busy = 5;

function isTaken(lock: { exec(sql: string): void }): boolean {
  try {
    lock.exec('begin exclusive');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === busy) return false;
    throw error;
  }
}
