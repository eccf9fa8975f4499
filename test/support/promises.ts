import { setTimeout as pause } from 'node:timers/promises';
import { AssertionError } from 'chai';

/** In milliseconds: less than mocha's limit for a test, so that a hang ends here with an explanation. */
const limit = 300_000;

/**
 * Calls `look` until it throws no AssertionError, and resolves with its result. Other errors are thrown at once. Await
 * an event instead if there is one.
 *
 * @param what is awaited, for the error: "the second worker"
 * @throws Error after five minutes, even if `look` has not ended
 */
export async function eventually<T>(what: string, look: () => T | Promise<T>): Promise<T> {
  let seen: Error | undefined;
  const tooLate = pause(limit, undefined, { ref: false }).then(() => {
    throw new Error(`waited ${limit} ms for ${what}; last seen: ${seen?.message}`, { cause: seen });
  });
  tooLate.catch(() => {});
  for (let between = 1; ; between = Math.min(2 * between, 50)) {
    try {
      return await Promise.race([look(), tooLate]);
    } catch (fault) {
      if (!(fault instanceof AssertionError)) throw fault;
      seen = fault as Error;
    }
    await Promise.race([tooLate, pause(between)]);
  }
}

/** Resolves with the error that a promise is rejected with. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => new Error('was not rejected'),
    (error: unknown) => error,
  );
