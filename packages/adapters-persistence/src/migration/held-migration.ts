import { setTimeout as pause } from 'node:timers/promises';
import { isHeld } from '../connection/database-faults.ts';

/** How long a migration may block others; times in milliseconds. */
interface LockRetries {
  /** For a lock: sessions that ask for it later wait as long. */
  readonly lockTimeout: number;
  /** Between two attempts: those that waited behind this one proceed. */
  readonly pause: number;
  readonly tries: number;
}

/**
 * Above PostgreSQL's `deadlock_timeout`, after which an autovacuum yields, and below the time that the service waits
 * for a connection, so that it continues to answer.
 */
const defaultRetries: LockRetries = { lockTimeout: 2_000, pause: 1_000, tries: 10 };

export interface Trying {
  /** Another transaction holds a lock: the attempt is repeated. */
  readonly onHeld?: (nextTry: number, tries: number) => void;
  readonly givenUp?: AbortSignal;
  readonly retries?: LockRetries;
}

/**
 * Repeats the attempt while locks are held elsewhere, a bounded number of times. @throws what the last attempt threw
 */
export async function untilFree(
  attempt: (lockTimeout: number) => Promise<void>,
  { onHeld, givenUp, retries = defaultRetries }: Trying,
): Promise<void> {
  for (let tried = 1; ; tried++) {
    givenUp?.throwIfAborted();
    try {
      return await attempt(retries.lockTimeout);
    } catch (error) {
      if (!isHeld(error) || tried === retries.tries) throw error;
    }
    onHeld?.(tried + 1, retries.tries);
    // When canceled, it ends at once with the reason.
    await pause(retries.pause, undefined, givenUp && { signal: givenUp }).catch(() => {});
  }
}
