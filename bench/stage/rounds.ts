import type { Load } from '../load/load.ts';
import type { Bench, Contender, Options } from './bench.ts';
import { type Measured, measure } from './measure.ts';

export interface LoadFigures {
  readonly load: Load;
  /** By the contender's name. The n-th rounds of all were measured one after the other. */
  readonly rounds: Readonly<Record<string, readonly Measured[]>>;
}

/**
 * Warms all up, then measures them in turn so that a slow phase of the machine meets all; `beforeEach`: what comes before
 * each measurement.
 */
export async function measureLoad(
  contenders: readonly Contender[],
  load: Load,
  { rounds: count, seconds, warmUp }: Pick<Options, 'rounds' | 'seconds' | 'warmUp'>,
  bench: Bench,
  beforeEach: () => Promise<unknown> = async () => {},
): Promise<LoadFigures> {
  const rounds: Record<string, Measured[]> = {};
  for (const contender of contenders) await measure(contender, load, warmUp, bench);
  for (let round = 1; round <= count; round++) {
    const parts: string[] = [];
    // To and fro: what one leaves for the next, such as pages that are still written to the disk, is not always left to the same.
    for (const contender of round % 2 === 1 ? contenders : contenders.toReversed()) {
      await beforeEach();
      const measured = await measure(contender, load, seconds, bench);
      const { name } = contender;
      rounds[name] = [...(rounds[name] ?? []), measured];
      parts.push(`${name} ${measured.rate.toFixed(0)} a second, p99 ${measured.p99.toFixed(1)} ms`);
    }
    console.error(`${load.name}, round ${round}: ${parts.join('; ')}`);
  }
  return { load, rounds };
}
