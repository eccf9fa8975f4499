import { ratiosOf, spread, verdictOf } from '../figures/statistics.ts';
import type { Cleanup } from '../machine/run.ts';
import { finalFaults, type Options, openBench } from './bench.ts';
import { startOther, startOurs } from './contenders.ts';
import { type LoadFigures, measureLoad } from './rounds.ts';

/** For a load, with the warm-up. Where nothing else is at work the whole guard takes a minute. */
const longestSeconds = 90;

/** The least ratio of our requests a second to the floor's, by load: wide of what is reached, since the machine may be anybody's. */
const bars: Readonly<Record<string, number>> = { '64': 1.5, '1': 0.8 };

/** Fails where ours is too slow beside the floor. */
export async function guard(options: Options, cleanup: Cleanup): Promise<readonly string[]> {
  const bench = await openBench(options, cleanup);
  const floor = await startOther('floor', bench);
  const ours = await startOurs(bench, { settings: options.set });
  const missed: string[] = [];
  for (const load of options.loads) {
    const { [load.name]: bar = 1 } = bars;
    const begun = performance.now();
    const verdictIn = ({ ours = [], floor = [] }: LoadFigures['rounds']) => verdictOf(ours, floor, bar);
    const enough = (rounds: LoadFigures['rounds']) =>
      verdictIn(rounds).clear || performance.now() - begun > 1000 * longestSeconds;
    const { rounds } = await measureLoad([floor, ours], load, options, bench, enough);
    const { ratio, clear } = verdictIn(rounds);
    const all = spread(ratiosOf(rounds.ours ?? [], rounds.floor ?? []), 2, 'all');
    const how = `${clear ? 'the median' : 'the sum'} of ${rounds.ours?.length} rounds, ${all}`;
    const found = `connections: ${load.name}; ours does ${ratio.toFixed(2)} × the floor (${how}); the bar is ${bar}`;
    console.log(found);
    if (!(ratio >= bar)) missed.push(`too slow, ${found}`);
  }
  return [...(await finalFaults(bench)), ...missed];
}
