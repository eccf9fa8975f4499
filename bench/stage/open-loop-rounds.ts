import { greatest, median } from 'd3-array';
import type { Bench } from './bench.ts';
import type { Contender } from './contenders.ts';
import { type Measured, measure, mustHaveAnswered } from './measure.ts';
import type { Lengths, LoadFigures } from './rounds.ts';

/** A service at a fixed rate of arrivals. */
export interface OpenLoopFigures {
  readonly contender: string;
  /** Such as `80 % of the floor's peak`. */
  readonly of: string;
  readonly rate: number;
  readonly rounds: readonly Measured[];
}

/** Rounds are short of what a load gets: the latencies of thousands of requests each are enough. */
const most = { rounds: 3, seconds: 30 };

/** At parts of the highest rates of those loads that go to each campaign in turn; none when there is no such load. */
export async function measureOpenLoop(
  floor: Contender,
  ours: Contender,
  loads: readonly LoadFigures[],
  lengths: Lengths,
  bench: Bench,
): Promise<OpenLoopFigures[]> {
  const peaks = { floor: peakOf(floor, loads), ours: peakOf(ours, loads) };
  if (!peaks.floor || !peaks.ours) return [];
  const cases = [
    { contender: floor, peak: peaks.floor, part: 0.5, whose: 'its' },
    { contender: ours, peak: peaks.ours, part: 0.5, whose: 'its' },
    { contender: floor, peak: peaks.floor, part: 0.8, whose: 'its' },
    { contender: ours, peak: peaks.ours, part: 0.8, whose: 'its' },
    { contender: ours, peak: peaks.floor, part: 0.8, whose: "the floor's" },
  ].map((one) => ({ ...one, rate: one.peak.rate * one.part, rounds: [] as Measured[] }));

  const seconds = Math.min(lengths.seconds, most.seconds);
  for (let round = 1; round <= Math.min(lengths.rounds, most.rounds); round++) {
    for (const { contender, peak, rate, rounds } of cases) {
      const measured = await measure(contender, peak.load, seconds, bench, rate);
      rounds.push(measured);
      const latencies = `p99 ${measured.p99.toFixed(1)} ms`;
      console.error(`open loop, ${contender.name} at ${rate.toFixed(0)} a second: ${latencies}`);
    }
  }
  for (const { contender, rounds } of cases) mustHaveAnswered(contender, rounds);
  return cases.map(({ contender: { name }, part, whose, rate, rounds }) => ({
    contender: name,
    of: `${part * 100} % of ${whose} peak`,
    rate,
    rounds,
  }));
}

function peakOf({ name }: Contender, loads: readonly LoadFigures[]) {
  const peaks = loads
    .filter(({ load }) => load.asks === 'each')
    .map(({ load, rounds }) => ({ load, rate: median(rounds[name] ?? [], ({ rate }) => rate) ?? 0 }));
  return greatest(peaks, ({ rate }) => rate);
}
