import { median } from 'd3-array';
import { ratiosOf, spread } from '../figures/statistics.ts';
import type { Cleanup } from '../machine/run.ts';
import { finalFaults, type Options, openBench } from './bench.ts';
import { startOther, startOurs } from './contenders.ts';
import { measureLoad } from './rounds.ts';

/** The least ratio of our requests a second to the floor's, by load: wide of what is reached, since the machine may be anybody's. */
const bars: Readonly<Record<string, number>> = { '64': 1.5, '1': 0.8 };

/** Fails where ours is too slow beside the floor. */
export async function guard(options: Options, cleanup: Cleanup): Promise<readonly string[]> {
  const bench = await openBench(options, cleanup);
  const contenders = [await startOther('floor', bench), await startOurs(bench, { settings: options.set })];
  const missed: string[] = [];
  for (const load of options.loads) {
    const { [load.name]: bar = 1 } = bars;
    const { rounds } = await measureLoad(contenders, load, options, bench);
    const ratios = ratiosOf(rounds.ours ?? [], rounds.floor ?? []);
    const found = `connections: ${load.name}; ours does ${spread(ratios, 2)} × the floor; the bar is ${bar}`;
    console.log(found);
    if (!((median(ratios) ?? 0) >= bar)) missed.push(`too slow, ${found}`);
  }
  return [...(await finalFaults(bench)), ...missed];
}
