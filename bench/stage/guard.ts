import { median } from 'd3-array';
import { ratiosOf, spread } from '../figures/statistics.ts';
import type { Cleanup } from '../machine/run.ts';
import { finalFaults, type Options, openBench } from './bench.ts';
import { startOther, startOurs } from './contenders.ts';
import { measureLoad } from './rounds.ts';

/**
 * The least ratio of our requests a second to the floor's, by load. A slow machine reaches it, too: it is far below what
 * was ever measured. One connection has none: there the machine decides, whatever the code.
 */
const bars: Readonly<Record<string, number>> = { '64': 1.2 };

/** Fails if ours is too slow beside the floor; other loads are only printed. */
export async function guard(options: Options, cleanup: Cleanup): Promise<readonly string[]> {
  const bench = await openBench(options, cleanup);
  const contenders = [await startOther('floor', bench), await startOurs(bench, { settings: options.set })];
  const missed: string[] = [];
  for (const load of options.loads) {
    const { [load.name]: bar } = bars;
    const { rounds } = await measureLoad(contenders, load, options, bench);
    const ratios = ratiosOf(rounds.ours ?? [], rounds.floor ?? []);
    const found = `connections: ${load.name}; ours does ${spread(ratios, 2)} × the floor`;
    console.log(bar === undefined ? found : `${found}; the bar is ${bar}`);
    if (bar !== undefined && !((median(ratios) ?? 0) >= bar)) missed.push(`too slow, ${found}, of ${bar}`);
  }
  return [...(await finalFaults(bench)), ...missed];
}
