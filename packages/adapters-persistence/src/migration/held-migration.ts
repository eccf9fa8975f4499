import { setTimeout as pause } from 'node:timers/promises';
import { isHeld } from '../connection/database-faults.ts';

/** How long a migration stands in the way of others; times in milliseconds. */
export interface LockRetries {
  /** For a lock: whoever asks after us waits behind us as long. */
  readonly lockTimeout: number;
  /** Between two tries: those who waited behind us come through. */
  readonly pause: number;
  readonly tries: number;
}

/**
 * Above PostgreSQL's `deadlock_timeout`, after which an autovacuum gives way to us, and below what the service waits
 * for a connection, so that it goes on answering.
 */
export const defaultRetries: LockRetries = { lockTimeout: 2_000, pause: 1_000, tries: 10 };

export interface Trying {
  /** Another transaction held what is needed: it is tried again. */
  readonly onHeld?: (nextTry: number, tries: number) => void;
  readonly givenUp?: AbortSignal;
  readonly retries?: LockRetries;
}

/** Tries until nobody holds what is needed, a bounded number of times. @throws what the last try threw */
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
    // Given up meanwhile, it ends at once with the reason for that.
    await pause(retries.pause, undefined, givenUp && { signal: givenUp }).catch(() => {});
  }
}
