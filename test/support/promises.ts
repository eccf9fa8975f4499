import { setTimeout as pause } from 'node:timers/promises';
import { AssertionError } from 'chai';

/** In milliseconds: a third of what mocha gives a test, so that a hang fails here and says why. It judges no speed. */
const limit = 300_000;

/**
 * Looks again and again until `look` asserts nothing that does not hold, and resolves with what that look returned.
 * Any other fault of a look is thrown at once. What has an event to wait for is better awaited than looked for.
 *
 * @param what it waits for, for the error: "the second worker"
 * @throws after five minutes, even if a look is still under way: what it waited for and what the last look saw
 */
export async function eventually<T>(what: string, look: () => T | Promise<T>): Promise<T> {
  let seen: Error | undefined;
  const tooLate = pause(limit, undefined, { ref: false }).then(() => {
    const last = seen?.message ?? 'nothing, as no look ended';
    throw new Error(`waited ${limit} ms for ${what}; last seen: ${last}`, { cause: seen });
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

/** What a promise is rejected with; an error of its own if it is not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return new Error('was not rejected');
}
