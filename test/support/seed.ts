import { randomInt } from 'node:crypto';

/** The seed of random inputs: the environment's SEED, or a new one. Tests name it in their title. */
export const seed = process.env.SEED ? Number(process.env.SEED) : randomInt(2 ** 31);
