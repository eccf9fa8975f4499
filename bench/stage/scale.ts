import { query } from '../database/server.ts';
import { middle, number, ratiosOf, spread, table } from '../figures/statistics.ts';
import type { Cleanup } from '../machine/run.ts';
import { type Bench, finalFaults, type Options, openBench } from './bench.ts';
import { startFloor, startOurs } from './contenders.ts';
import { type Measured, measureLoad } from './rounds.ts';

/** The size that is measured beside it: there, every page is soon hot. */
const small = 100_000;

/**
 * How the cost of an update grows with the data: the floor and ours in turn on one database, each round just after a
 * checkpoint, when the first change of a page writes the whole page to the WAL. Every update is of a campaign that no
 * round before has touched, as far as there are enough: the rows of one that was updated lie together with others.
 */
export async function scale(options: Options, cleanup: Cleanup): Promise<readonly string[]> {
  const rows: Record<string, string>[] = [];
  const faults: string[] = [];
  for (const campaigns of [small, options.campaigns]) {
    const changes = campaigns === small ? 0 : (options.changes ?? 3_000_000);
    const bench = await openBench({ ...options, campaigns, changes }, cleanup);
    rows.push(...(await measured(bench, options, campaigns, changes)));
    faults.push(...(await finalFaults(bench)));
    if (campaigns === options.campaigns) console.log(bench.where);
  }
  console.log(table(rows));
  return faults;
}

async function measured(bench: Bench, options: Options, campaigns: number, changes: number) {
  const database = await bench.databases.copy();
  const ours = await startOurs(bench, { settings: options.set, database });
  // The floor's updates are not recorded: the history is ours alone, but not all of the addresses.
  const contenders = [await startFloor(bench, database), { ...ours, isRecorded: false }];
  const checkpoint = () => query(database.admin, 'checkpoint');
  const rows: Record<string, string>[] = [];
  for (const load of options.loads) {
    const { ours = [], floor = [] } = await measureLoad(contenders, load, options, bench, checkpoint);
    const of = (rounds: readonly Measured[], what: keyof Measured) => number(middle(rounds, what), 0);
    rows.push({
      campaigns: String(campaigns),
      changes: String(changes),
      connections: load.name,
      'ours a second': of(ours, 'rate'),
      'to the floor': spread(ratiosOf(ours, floor), 2),
      'WAL, bytes: ours': of(ours, 'wal'),
      'the floor': of(floor, 'wal'),
      'µs of PostgreSQL: ours': of(ours, 'postgres'),
      "the floor's": of(floor, 'postgres'),
    });
  }
  const [made] = await query<{ rows: string }>(
    database.admin,
    'select count(*) as rows from campaign_mirror.mirror_history where id > $1',
    [changes],
  );
  const { answered, asked } = bench.updates.get(contenders[1] as never) ?? { answered: 0, asked: 0 };
  const recorded = Number(made?.rows);
  if (recorded < answered || recorded > asked)
    bench.faults.push(`${answered} answers of 200 to ${asked} requests, ${recorded} rows of history`);
  return rows;
}
