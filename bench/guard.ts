import { ratioOf } from './figures/statistics.ts';
import { verdictOf } from './figures/verdict.ts';
import { loadOf } from './load/load.ts';
import { commandLine, setting } from './processes/command-line.ts';
import { run } from './processes/run.ts';
import { finalFaults, openBench } from './stage/bench.ts';
import { startOther, startOurs } from './stage/contenders.ts';
import { type LoadFigures, measureLoad } from './stage/rounds.ts';

const lengths = { rounds: 40, seconds: 1, warmUp: 8 };
/** With the warm-up. Where nothing else is at work the whole guard takes a minute. */
const longestSeconds = 90;

/** The least ratio of our requests a second to the floor's, by load: wide of what is reached, since the machine may be anybody's. */
const bars = { '64': 1.5, '1': 0.8 };

const { set = {} } = commandLine(
  'bench:guard',
  'Fails when ours is too slow beside the floor, at 64 connections and at one.',
)
  .option('--set <NAME=VALUE>', 'runs our service with this setting instead of the default', setting)
  .parse()
  .opts();

await run(async (cleanup) => {
  const bench = await openBench({ campaigns: 10_000, settings: set }, cleanup);
  const copy = await bench.databases.copy();
  const floor = await startOther('floor', bench.databases.first, bench.cores, cleanup);
  const ours = await startOurs(copy, set, bench.cores, cleanup);
  const missed: string[] = [];
  for (const [load, bar] of Object.entries(bars)) {
    const begun = performance.now();
    const verdictIn = (rounds: LoadFigures['rounds']) =>
      verdictOf(rounds.ours ?? [], rounds.floor ?? [], bar);
    const enough = (rounds: LoadFigures['rounds']) =>
      verdictIn(rounds).clear || performance.now() - begun > 1000 * longestSeconds;
    const { rounds } = await measureLoad([floor, ours], loadOf(load), lengths, bench, enough);
    const { least, greatest } = ratioOf(rounds.ours ?? [], rounds.floor ?? []);
    const { ratio, clear } = verdictIn(rounds);
    const measured = `${rounds.ours?.length} rounds${clear ? '' : ', by their sum'}`;
    const spread = `${least.toFixed(2)}-${greatest.toFixed(2)}, ${measured}`;
    const found = `connections: ${load}; ours does ${ratio.toFixed(2)} × the floor (${spread}); the bar is ${bar}`;
    console.log(found);
    if (!(ratio >= bar)) missed.push(`too slow, ${found}`);
  }
  return [...(await finalFaults(bench, [ours])), ...missed];
});
