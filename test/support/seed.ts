import { randomInt } from 'node:crypto';

const { SEED } = process.env;
if (SEED && !(/^\d{1,10}$/.test(SEED) && Number(SEED) < 2 ** 31))
  throw new Error(`SEED=${SEED}: name an integer from 0 to 2147483647, or leave it out`);

/**
 * What random inputs begin with: another one each run, or the environment's SEED, which makes the same ones again. It
 * belongs into the title of what uses it, so that a failure names it.
 */
export const seed = SEED ? Number(SEED) : randomInt(2 ** 31);
