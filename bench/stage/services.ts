import { middle, number, ratiosOf, spread, table } from '../figures/statistics.ts';
import type { Cleanup } from '../machine/run.ts';
import { finalFaults, type Options, openBench } from './bench.ts';
import { startFloor, startOurs } from './contenders.ts';
import { type Measured, measureLoad } from './rounds.ts';

const notes = `Requests a second, latencies and CPU are medians of the rounds; CPU is user and system time a request.
ratio: to the floor, the median of the pairs of neighbouring rounds, and their quartiles.
wrk's p99 counts what a connection that waited for long could have asked meanwhile.`;

/** Ours beside the floor. */
export async function services(options: Options, cleanup: Cleanup): Promise<readonly string[]> {
  const bench = await openBench(options, cleanup);
  const contenders = [await startFloor(bench), await startOurs(bench, { settings: options.set })];
  const rows: Record<string, string>[] = [];
  for (const load of options.loads) {
    const { ours = [], floor = [] } = await measureLoad(contenders, load, options, bench);
    for (const [service, rounds, ratio] of [
      ['floor', floor, ''],
      ['ours', ours, spread(ratiosOf(ours, floor), 2)],
    ] as const)
      rows.push({ load: load.name, service, ...figuresOf(rounds, ratio) });
  }
  const faults = await finalFaults(bench);
  console.log(`\n${table(rows)}\n\n${notes}\n\n${bench.where}`);
  return faults;
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
