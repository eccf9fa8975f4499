import { median } from '../figures/statistics.ts';
import type { Load } from '../load/load.ts';
import { type Bench, type Contender, type Measured, measure, mustHaveAnswered } from './measure.ts';
import type { LoadFigures } from './rounds.ts';

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
  lengths: { readonly rounds: number; readonly seconds: number },
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
  ].map((one) => ({ ...one, rounds: [] as Measured[] }));

  const seconds = Math.min(lengths.seconds, most.seconds);
  for (let round = 1; round <= Math.min(lengths.rounds, most.rounds); round++) {
    for (const { contender, peak, part, rounds } of cases) {
      const measured = await measure(contender, peak.load, seconds, bench, peak.rate * part);
      rounds.push(measured);
      const latencies = `p99 ${measured.p99.toFixed(1)} ms`;
      console.error(
        `open loop, ${contender.name} at ${(peak.rate * part).toFixed(0)} a second: ${latencies}`,
      );
    }
  }
  for (const { contender, rounds } of cases) mustHaveAnswered(contender, rounds);
  return cases.map(({ contender, peak, part, whose, rounds }) => ({
    contender: contender.name,
    of: `${part * 100} % of ${whose} peak`,
    rate: peak.rate * part,
    rounds,
  }));
}

function peakOf(
  { name }: Contender,
  loads: readonly LoadFigures[],
): { load: Load; rate: number } | undefined {
  const peaks = loads
    .filter(({ load }) => load.asks === 'each')
    .map(({ load, rounds }) => ({ load, rate: median((rounds[name] ?? []).map(({ rate }) => rate)) ?? 0 }));
  return peaks.sort((one, other) => other.rate - one.rate)[0];
}
