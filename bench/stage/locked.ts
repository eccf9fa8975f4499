import { setTimeout as pause } from 'node:timers/promises';
import { median } from 'd3-array';
import { query, withClient } from '../database/query.ts';
import { number, table } from '../figures/statistics.ts';
import type { Load } from '../load/load.ts';
import type { Cleanup } from '../machine/run.ts';
import { type Options, openBench } from './bench.ts';
import { startOurs } from './contenders.ts';

/** Who works on the rows of one campaign beside the service, again and again; times in milliseconds. */
interface Rivals {
  readonly name: string;
  readonly count: number;
  readonly text: string;
  readonly holdFor: number;
  readonly freeFor: number;
  readonly connections: number;
  /** What must be reached beside them, as a part of what is reached without them. */
  readonly least: number;
}

const all: readonly Rivals[] = [
  {
    name: '2 rivals that hold the mirror for 20 ms and leave it for 5',
    ...{ count: 2, holdFor: 20, freeFor: 5, connections: 256, least: 0.2 },
    text: 'select from campaign_mirror.mirrors where campaign_id = $1 for update',
  },
  {
    name: '8 rivals that count clicks',
    ...{ count: 8, holdFor: 0, freeFor: 0, connections: 64, least: 0.25 },
    text: 'update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = $1',
  },
];

/** The updates of one campaign while others hold or change its mirror. */
export async function locked(options: Options, cleanup: Cleanup) {
  const { rounds, seconds, set: settings } = options;
  const bench = await openBench(options, cleanup);
  const { port, database } = await startOurs(bench, { settings });
  const faults: string[] = [];
  const rows: Record<string, string>[] = [];
  for (const rivals of all) {
    const load: Load = { name: 'one campaign', connections: rivals.connections, isHot: true };
    const round = async () => {
      const { answered, seconds: passed, p99 } = await bench.generator.carryOut({ port, load, seconds });
      return { rate: (answered[200] ?? 0) / passed, refused: answered[503] ?? 0, p99 };
    };
    await round();
    const without = [await round()];
    const beside: typeof without = [];
    for (let count = 0; count < rounds; count++) {
      const stop = startRivals(rivals, database.admin);
      beside.push(await round().finally(stop));
      without.push(await round());
    }
    const medianOf = (some: typeof without, what: 'rate' | 'p99') => median(some, (one) => one[what]) ?? 0;
    const refused = beside.reduce((sum, round) => sum + round.refused, 0);
    const part = medianOf(beside, 'rate') / medianOf(without, 'rate');
    rows.push({
      beside: rivals.name,
      connections: String(rivals.connections),
      'alone, a second': number(medianOf(without, 'rate'), 0),
      'beside them': number(medianOf(beside, 'rate'), 0),
      part: number(part, 2),
      'p99 ms': number(medianOf(beside, 'p99'), 1),
      'got 503': String(refused),
    });
    if (part < rivals.least)
      faults.push(`${rivals.name}: ${part.toFixed(2)} of the speed, of ${rivals.least}`);
    if (refused > 0) faults.push(`${rivals.name}: ${refused} got 503`);
  }
  console.log(`${bench.where}\n\n${table(rows)}`);
  return faults;
}

/** Starts the rivals. The function that it returns ends their work. */
function startRivals({ count, text, holdFor, freeFor }: Rivals, url: URL): () => Promise<void> {
  let over = false;
  const work = Array.from({ length: count }, () =>
    withClient(url, async (client) => {
      const latest = 'select campaign_id from campaign_mirror.mirror_history order by id desc limit 1';
      const [row] = await query<{ campaign_id: string }>(url, latest);
      while (!over) {
        await client.query('begin');
        await client.query(text, [row?.campaign_id]);
        if (holdFor > 0) await pause(holdFor);
        await client.query('commit');
        if (freeFor > 0) await pause(freeFor);
      }
    }),
  );
  return async () => {
    over = true;
    await Promise.all(work);
  };
}
