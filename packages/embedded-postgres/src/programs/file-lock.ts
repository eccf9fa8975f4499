import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedError } from './errors.ts';

/** In milliseconds. Copying 60 MB takes a second or two, more on a slow disk. */
const longestWait = 120_000;

/**
 * Runs the action while no other process holds the same lock. Node has no file locks, but its SQLite has; they end with
 * the process, however it ends. The file remains, empty.
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
