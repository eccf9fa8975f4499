import { query } from '../database/server.ts';
import { middle, number, ratiosOf, spread, table } from '../figures/statistics.ts';
import type { Cleanup } from '../machine/run.ts';
import { finalFaults, type Options, openBench } from './bench.ts';
import { startFloor, startOurs } from './contenders.ts';
import { type Measured, measureLoad } from './rounds.ts';

const notes = `Requests a second, latencies and CPU are medians of the rounds; CPU is user and system time a request.
ratio: to the floor, the median of the pairs of neighbouring rounds, and their quartiles.
wrk's p99 counts what a connection that waited for long could have asked meanwhile.`;

/** Ours beside the floor. */
export const services = (options: Options, cleanup: Cleanup) => besideFloor([options], cleanup);

/**
 * How the cost of an update grows with the data: ours and the floor in turn on one database, each round just after a
 * checkpoint, when the first change of a page writes the whole page to the WAL. Every update is of a campaign that no
 * round before has touched, as far as there are enough: the rows of one that was updated lie together with others.
 */
export function scale(options: Options, cleanup: Cleanup): Promise<readonly string[]> {
  // At this size, every page is soon hot.
  const small = { ...options, campaigns: 100_000, changes: 0 };
  return besideFloor([small, { ...options, changes: options.changes ?? 3_000_000 }], cleanup, true);
}

async function besideFloor(sizes: readonly Options[], cleanup: Cleanup, isShared = false) {
  const rows: Record<string, string>[] = [];
  const faults: string[] = [];
  let where = '';
  for (const options of sizes) {
    const bench = await openBench(options, cleanup);
    where = bench.where;
    const database = isShared ? await bench.databases.copy() : undefined;
    const contenders = [
      await startFloor(bench, database),
      // The floor's updates are not recorded: in a database of both, the history is not that of all addresses.
      { ...(await startOurs(bench, { settings: options.set, database })), isRecorded: !isShared },
    ];
    const checkpoint = async () => database && query(database.admin, 'checkpoint');
    for (const load of options.loads) {
      const { ours = [], floor = [] } = await measureLoad(contenders, load, options, bench, checkpoint);
      for (const [service, rounds, ratio] of [
        ['floor', floor, ''],
        ['ours', ours, spread(ratiosOf(ours, floor), 2)],
      ] as const)
        rows.push({
          campaigns: String(options.campaigns),
          load: load.name,
          service,
          ...figuresOf(rounds, ratio),
        });
    }
    faults.push(...(await finalFaults(bench)));
  }
  console.log(`\n${table(rows)}\n\n${notes}\n\n${where}`);
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
