import { parseArgs } from 'node:util';
import { historyFaults } from './databases/check-history.ts';
import { ratioOf } from './figures/statistics.ts';
import { verdictOf } from './figures/verdict.ts';
import { loadOf } from './load/load.ts';
import type { Cleanup } from './processes/cleanup.ts';
import { setting } from './processes/options.ts';
import { run } from './processes/run.ts';
import { wordsOf } from './processes/words.ts';
import { type LoadFigures, measureLoad } from './stage/rounds.ts';
import { openStage } from './stage/stage.ts';

/** Fails when ours is too slow beside the floor at 64 connections, by far: `npm run bench:guard`. */
const usage = `npm run bench:guard -- [--bar 1.3] [--set NAME=VALUE]...

  --bar   the least ratio of our requests a second to the floor's that passes
  --set   runs our service with this setting instead of the default`;
/** Wide of what is reached, since the machine may be anybody's. */
const usualBar = '1.3';
const lengths = { rounds: 40, seconds: 1, warmUpSeconds: 8 };
/** With the warm-up. Where nothing else is at work the whole guard takes a minute. */
const longestSeconds = 150;

async function guard(bar: number, settings: Record<string, string>, cleanup: Cleanup): Promise<number> {
  const options = {
    campaigns: 10_000,
    owners: 1_000,
    guaranteed: false,
    batched: false,
    peers: false,
    newSegments: false,
    settings,
  };
  const { bench, floor, ours } = await openStage(options, cleanup);
  const begun = performance.now();
  const verdictIn = ({ ours: its = [], floor: floors = [] }: LoadFigures['rounds']) =>
    verdictOf(its, floors, bar);
  const enough = (rounds: LoadFigures['rounds']) =>
    verdictIn(rounds).clear || performance.now() - begun > 1000 * longestSeconds;
  const { rounds } = await measureLoad([floor, ours], loadOf('64'), lengths, bench, enough);
  await ours.end();
  const { ledger } = bench;
  const faults = [...ledger.faults, ...(await historyFaults(ours.database, ledger.updatesOf(ours.name)))];
  const { least, greatest } = ratioOf(rounds.ours ?? [], rounds.floor ?? []);
  const { ratio, clear } = verdictIn(rounds);
  const measured = `${rounds.ours?.length} rounds${clear ? '' : ', by their sum'}`;
  const spread = `${least.toFixed(2)}-${greatest.toFixed(2)}, ${measured}`;
  const found = `${ratio.toFixed(2)} × the floor at 64 connections (${spread})`;
  if (!(ratio >= bar)) faults.push(`ours does ${found}, which is below the bar of ${bar}`);
  if (faults.length === 0) console.log(`ours does ${found}; the bar is ${bar}`);
  for (const fault of faults) console.error(`wrong: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

function readWords(words: string[]): { bar: number; settings: Record<string, string> } | undefined {
  const options = {
    bar: { type: 'string', default: usualBar },
    set: { type: 'string', multiple: true },
    help: { type: 'boolean' },
  } as const;
  const { values } = parseArgs({ args: words, options });
  if (values.help) return undefined;
  if (!/^[0-9]{1,3}(\.[0-9]+)?$/.test(values.bar))
    throw new Error(`--bar takes a number such as 1.3, not ${values.bar}`);
  return { bar: Number(values.bar), settings: Object.fromEntries((values.set ?? []).map(setting)) };
}

const { bar, settings } = wordsOf(usage, readWords);
await run((cleanup) => guard(bar, settings, cleanup));
