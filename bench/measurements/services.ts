import { query } from '../database/database.ts';
import { middle, number, ratiosOf, spread, table } from '../figures/statistics.ts';
import type { Cleanup } from '../machine/machine.ts';
import { startFloor, startOurs } from './contenders.ts';
import { finalFaults, type Measured, measureLoad, type Options, openBench } from './rounds.ts';

const notes = `Requests a second, latencies and CPU are medians of the rounds; CPU is user and system time a request.
ratio: to the floor, the median of the pairs of neighbouring rounds, and their quartiles.
wrk's p99 counts the requests that a waiting connection could have sent meanwhile.`;

/** Our service beside the floor. */
export const services = (options: Options, cleanup: Cleanup) => besideFloor([options], cleanup);

/**
 * The cost of an update at two sizes of the data. Ours and the floor share a database. Each round begins after a
 * checkpoint, when the first change of a page writes the whole page to the WAL, and updates campaigns that no round has
 * updated before, as far as there are enough.
 */
export function scale(options: Options, cleanup: Cleanup): Promise<readonly string[]> {
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
      // In a shared database the history lacks the floor's updates.
      { ...(await startOurs(bench, { settings: options.set, database })), isRecorded: !isShared },
    ];
    const checkpoint = async () => database && query(database.admin, 'checkpoint');
    for (const load of options.loads) {
      const { ours = [], floor = [] } = await measureLoad(contenders, load, options, bench, checkpoint);
      const first = { campaigns: String(options.campaigns), load: load.name };
      rows.push({ ...first, service: 'floor', ...figuresOf(floor, '') });
      rows.push({ ...first, service: 'ours', ...figuresOf(ours, spread(ratiosOf(ours, floor), 2)) });
    }
    faults.push(...(await finalFaults(bench)));
  }
  console.log(`\n${table(rows)}\n\n${notes}\n\n${where}`);
  return faults;
}

function figuresOf(rounds: readonly Measured[], ratio: string): Record<string, string> {
  const of = (what: keyof Measured, decimals = 0) => number(middle(rounds, what), decimals);
  return {
    ...{ 'requests/s': of('rate'), 'ratio (quartiles)': ratio, 'p99 ms': of('p99', 2), 'CPU µs': of('cpu') },
    ...{
      'PostgreSQL µs': of('postgres'),
      MB: number(rounds.at(-1)?.memory, 0),
      'WAL bytes an update': of('wal'),
    },
  };
}
