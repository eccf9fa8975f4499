import { median } from 'd3-array';
import { middle, number, ratiosOf, spread, table } from '../figures/statistics.ts';
import type { Cleanup } from '../machine/run.ts';
import { finalFaults, type Options, openBench } from './bench.ts';
import { startFloor, startOurs } from './contenders.ts';
import { type Measured, measureLoad } from './rounds.ts';

/**
 * The least ratio of our requests a second to the floor's, by load. A slow machine reaches it, too: it is far below what
 * was ever measured. One connection has none: there the machine decides, whatever the code.
 */
const bars: Readonly<Record<string, number>> = { '64': 1.2 };

const notes = `Requests a second, latencies and CPU are medians of the rounds; CPU is user and system time a request.
ratio: to the floor, the median of the pairs of neighbouring rounds, and their quartiles.
wrk's p99 counts what a connection that waited for long could have asked meanwhile.`;

/** Ours beside the floor. */
export const services = async (options: Options, cleanup: Cleanup): Promise<readonly string[]> =>
  (await besideFloor(options, cleanup)).faults;

/** The same; fails if ours is too slow. */
export async function guard(options: Options, cleanup: Cleanup): Promise<readonly string[]> {
  const { faults, ratios } = await besideFloor(options, cleanup);
  const missed = options.loads.flatMap(({ name }) => {
    const { [name]: bar = 0 } = bars;
    const reached = median(ratios[name] ?? []) ?? 0;
    return reached >= bar ? [] : [`too slow: ${name}, ${number(reached, 2)} × the floor, of ${bar}`];
  });
  return [...faults, ...missed];
}

async function besideFloor(options: Options, cleanup: Cleanup) {
  const bench = await openBench(options, cleanup);
  const contenders = [await startFloor(bench), await startOurs(bench, { settings: options.set })];
  const ratios: Record<string, readonly number[]> = {};
  const rows: Record<string, string>[] = [];
  for (const load of options.loads) {
    const { ours = [], floor = [] } = await measureLoad(contenders, load, options, bench);
    ratios[load.name] = ratiosOf(ours, floor);
    for (const [service, rounds, ratio] of [
      ['floor', floor, ''],
      ['ours', ours, spread(ratios[load.name] ?? [], 2)],
    ] as const)
      rows.push({ load: load.name, service, ...figuresOf(rounds, ratio) });
  }
  const faults = await finalFaults(bench);
  console.log(`\n${table(rows)}\n\n${notes}\n\n${bench.where}`);
  return { faults, ratios };
}

function figuresOf(rounds: readonly Measured[], ratio: string): Record<string, string> {
  const of = (what: keyof Measured, decimals = 0) => number(middle(rounds, what), decimals);
  return {
    'requests/s': of('rate'),
    'ratio (quartiles)': ratio,
    'p99 ms': of('p99', 2),
    'CPU µs': of('cpu'),
    'PostgreSQL µs': of('postgres'),
    MB: number(rounds.at(-1)?.memory, 0),
    'WAL bytes an update': of('wal'),
  };
}
