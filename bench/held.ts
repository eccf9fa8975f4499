import { median } from 'd3-array';
import { number, table } from './figures/table.ts';
import type { Load } from './load/load.ts';
import { commandLine, setting, wholeNumber } from './processes/command-line.ts';
import { run } from './processes/run.ts';
import { openBench } from './stage/bench.ts';
import { startOurs } from './stage/contenders.ts';
import { clickers, holders, type Rivals, startRivals } from './stage/rivals.ts';

/** What must be reached beside each, as a part of what is reached without them. */
const cases: readonly { rivals: Rivals; connections: number; least: number }[] = [
  { rivals: holders, connections: 256, least: 0.2 },
  { rivals: clickers, connections: 64, least: 0.25 },
];

const {
  rounds,
  seconds,
  set = {},
} = commandLine('bench:held', 'Measures the updates of one campaign while others hold or change its mirror.')
  .option('--rounds <N>', 'rounds without and with the rivals, in turn', wholeNumber(1, 100), 5)
  .option('--seconds <N>', 'length of each round', wholeNumber(1, 600), 4)
  .option('--set <NAME=VALUE>', 'runs our service with this setting instead of the default', setting)
  .parse()
  .opts();

await run(async (cleanup) => {
  const bench = await openBench({ campaigns: 1_000, settings: set }, cleanup);
  const { databases, cores, generator } = bench;
  const service = await startOurs(await databases.copy(), set, cores, cleanup);
  const { port, database } = service;
  const faults: string[] = [];
  const rows: Record<string, string>[] = [];
  for (const { rivals, connections, least } of cases) {
    const load: Load = { name: `${connections}, one campaign`, connections, asks: 'one' };
    const round = async () => {
      const answers = await generator.carryOut({ port, load, seconds });
      const { answered, seconds: passed, p99 } = answers;
      return { rate: (answered[200] ?? 0) / passed, refused: answered[503] ?? 0, p99 };
    };
    await round();
    const [without, beside] = [[await round()], []] as [
      Awaited<ReturnType<typeof round>>[],
      Awaited<ReturnType<typeof round>>[],
    ];
    const [{ campaign_id: campaign } = { campaign_id: 0 }] = await database.query<{ campaign_id: number }>(
      'select campaign_id::int from campaign_mirror.mirror_history order by id desc limit 1',
    );
    for (let count = 0; count < rounds; count++) {
      const stop = startRivals(rivals, database, campaign);
      beside.push(await round().finally(stop));
      without.push(await round());
    }
    const rate = (all: typeof beside) => median(all, (one) => one.rate) ?? 0;
    const refused = beside.reduce((sum, one) => sum + one.refused, 0);
    const part = rate(beside) / rate(without);
    rows.push({
      beside: rivals.name,
      connections: String(connections),
      'alone, a second': number(rate(without), 0),
      'beside them': number(rate(beside), 0),
      part: number(part, 2),
      'p99 ms': number(median(beside, (one) => one.p99) ?? 0, 1),
      'got 503': String(refused),
    });
    if (part < least) faults.push(`${rivals.name}: ${part.toFixed(2)} of the speed, of ${least}`);
    if (refused > 0) faults.push(`${rivals.name}: ${refused} got 503`);
  }
  await service.end();
  console.log(`${bench.where}\n\n${table(rows)}`);
  return faults;
});
