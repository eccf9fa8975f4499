import { randomInt } from 'node:crypto';

/**
 * What random inputs begin with: another one each run, or the environment's SEED, an integer from 0 to 2^31 - 1, which
 * makes the same ones again. It belongs into the title of what uses it, so that a failure tells it.
 */
export const seed = seedOf(process.env.SEED);

/** @throws where it is no such number */
export function seedOf(given: string | undefined): number {
  if (!given) return randomInt(2 ** 31);
  if (/^\d{1,10}$/.test(given) && Number(given) < 2 ** 31) return Number(given);
  throw new Error(`SEED=${given}: name an integer from 0 to 2147483647, or leave it out`);
}
