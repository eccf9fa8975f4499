import { InvalidArgumentError } from '@commander-js/extra-typings';
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
const longestSeconds = 150;

function ratio(text: string): number {
  if (/^[0-9]{1,3}(\.[0-9]+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a number such as 1.3.');
}

// Wide of what is reached, since the machine may be anybody's.
const { bar, set = {} } = commandLine(
  'bench:guard',
  'Fails when ours is too slow beside the floor at 64 connections.',
)
  .option('--bar <RATIO>', "the least ratio of our requests a second to the floor's that passes", ratio, 1.3)
  .option('--set <NAME=VALUE>', 'runs our service with this setting instead of the default', setting)
  .parse()
  .opts();

await run(async (cleanup) => {
  const bench = await openBench({ campaigns: 10_000, settings: set }, cleanup);
  const copy = await bench.databases.copy();
  const floor = await startOther('floor', bench.databases.first, bench.cores, cleanup);
  const ours = await startOurs(copy, set, bench.cores, cleanup);
  const begun = performance.now();
  const verdictIn = (rounds: LoadFigures['rounds']) => verdictOf(rounds.ours ?? [], rounds.floor ?? [], bar);
  const enough = (rounds: LoadFigures['rounds']) =>
    verdictIn(rounds).clear || performance.now() - begun > 1000 * longestSeconds;
  const { rounds } = await measureLoad([floor, ours], loadOf('64'), lengths, bench, enough);
  const faults = await finalFaults(bench, [ours]);
  const { least, greatest } = ratioOf(rounds.ours ?? [], rounds.floor ?? []);
  const { ratio, clear } = verdictIn(rounds);
  const measured = `${rounds.ours?.length} rounds${clear ? '' : ', by their sum'}`;
  const spread = `${least.toFixed(2)}-${greatest.toFixed(2)}, ${measured}`;
  const found = `${ratio.toFixed(2)} × the floor at 64 connections (${spread})`;
  if (!(ratio >= bar)) faults.push(`ours does ${found}, which is below the bar of ${bar}`);
  if (faults.length === 0) console.log(`ours does ${found}; the bar is ${bar}`);
  return faults;
});
