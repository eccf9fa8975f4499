import { sum } from 'd3-array';
import { type Rate, ratioOf, ratiosOf } from './statistics.ts';

/** By so many more rounds on one side of the bar than on the other it is clear which side is the right one. */
const clearLead = 10;

interface Verdict {
  readonly ratio: number;
  /** More rounds would not change it. */
  readonly clear: boolean;
}

/**
 * The median of the pairs of neighbouring rounds where it is clear on which side of the bar they lie; else the sum of
 * all rounds to that of the others. A machine that is taken away for seconds at a time scatters the pairs from 0.1 to 7,
 * and harms a sum least.
 */
export function verdictOf(rounds: readonly Rate[], others: readonly Rate[], bar: number): Verdict {
  const lead = ratiosOf(rounds, others).reduce((ahead, ratio) => ahead + (ratio >= bar ? 1 : -1), 0);
  const clear = Math.abs(lead) >= clearLead;
  return { ratio: clear ? ratioOf(rounds, others).median : total(rounds) / total(others), clear };
}

const total = (rounds: readonly Rate[]) => sum(rounds, ({ rate }) => rate);
