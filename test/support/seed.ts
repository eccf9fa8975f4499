import { randomInt } from 'node:crypto';

const { SEED } = process.env;
if (SEED && !(/^\d{1,10}$/.test(SEED) && Number(SEED) < 2 ** 31))
  throw new Error(`SEED=${SEED} is not an integer from 0 to 2147483647`);

/** The seed of random inputs: the environment's SEED, or a new one. Tests name it in their title. */
export const seed = SEED ? Number(SEED) : randomInt(2 ** 31);
