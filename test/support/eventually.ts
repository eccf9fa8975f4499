import { setTimeout as pause } from 'node:timers/promises';
import { AssertionError } from 'chai';

/** In milliseconds: half of what mocha gives a test, so that it is this that fails, and says why. */
const usually = 30_000;

/** In milliseconds: what is there soon is seen soon, what takes its time is not asked for all the while. */
const pauses = { first: 1, longest: 50 };

/**
 * Looks again and again until `look` asserts nothing that does not hold, and resolves with what that look returned.
 * Any other fault of a look is thrown at once. What has an event to wait for is better awaited than looked for.
 *
 * @param what it waits for, for the error: "the second worker"
 * @throws once it lasted for `within` milliseconds, even if a look is still under way: what it waited for and what
 *   the last look saw
 */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  { within = usually }: { readonly within?: number } = {},
): Promise<T> {
  let seen: unknown;
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const giveUp = () => {
    const last = seen instanceof AssertionError ? seen.message : 'nothing, as no look ended';
    reject(new Error(`waited ${within} ms for ${what}; last seen: ${last}`, { cause: seen }));
  };
  const limit = setTimeout(giveUp, within);
  let over = false;
  const looks = async () => {
    for (let between = pauses.first; !over; between = Math.min(2 * between, pauses.longest)) {
      try {
        return await look();
      } catch (fault) {
        if (!(fault instanceof AssertionError)) throw fault;
        seen = fault;
      }
      await pause(between);
    }
    return tooLate;
  };
  try {
    return await Promise.race([looks(), tooLate]);
  } finally {
    over = true;
    clearTimeout(limit);
  }
}
