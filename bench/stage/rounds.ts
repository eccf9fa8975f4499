import { checkpoint } from '../databases/seed.ts';
import type { Load } from '../load/load.ts';
import type { Bench } from './bench.ts';
import type { Contender } from './contenders.ts';
import { type Measured, measure, mustHaveAnswered } from './measure.ts';

export interface LoadFigures {
  readonly load: Load;
  /** By the contender's name. The n-th rounds of all were measured one after the other. */
  readonly rounds: Readonly<Record<string, readonly Measured[]>>;
  /** The warm-up's. */
  readonly before: Readonly<Record<string, Measured>>;
}

export interface Lengths {
  /** At most. */
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUp: number;
}

/** Warms all up, then measures them in turn, so that a slow phase of the machine meets all; until it is enough. */
export async function measureLoad(
  contenders: readonly Contender[],
  load: Load,
  { rounds: count, seconds, warmUp }: Lengths,
  bench: Bench,
  enough: (rounds: LoadFigures['rounds']) => boolean = () => false,
): Promise<LoadFigures> {
  const rounds: Record<string, Measured[]> = {};
  const before: Record<string, Measured> = {};
  for (const contender of contenders) {
    await checkpoint(contender.database);
    before[contender.name] = await measure(contender, load, warmUp, bench);
  }
  for (let round = 1; round <= count && !enough(rounds); round++) {
    const parts: string[] = [];
    for (const contender of inTurn(contenders, round)) {
      const measured = await measure(contender, load, seconds, bench);
      rounds[contender.name] = [...(rounds[contender.name] ?? []), measured];
      parts.push(inShort(contender, measured));
    }
    console.error(`${load.name}, round ${round}: ${parts.join('; ')}`);
  }
  for (const contender of contenders) mustHaveAnswered(contender, rounds[contender.name] ?? []);
  return { load, rounds, before };
}

/** To and fro: what one leaves for the next, such as pages that are still written to the disk, is not always left to the same. */
export function inTurn<T>(contenders: readonly T[], round: number): readonly T[] {
  return round % 2 === 1 ? contenders : contenders.toReversed();
}

function inShort({ name }: Contender, { rate, p99, memory }: Measured): string {
  return `${name} ${rate.toFixed(0)} requests a second, p99 ${p99.toFixed(1)} ms, ${memory?.toFixed(0) ?? '-'} MB`;
}
