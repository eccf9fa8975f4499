import { parseArgs } from 'node:util';
import { historyFaults } from './databases/check-history.ts';
import { type Database, openDatabases } from './databases/database.ts';
import { checkpoint, newKeys } from './databases/seed.ts';
import { median } from './figures/statistics.ts';
import { openLoadGenerator } from './load/generator.ts';
import { type Load, loadOf } from './load/load.ts';
import type { Cleanup } from './processes/cleanup.ts';
import { divideCores } from './processes/cores.ts';
import { machine } from './processes/machine.ts';
import { setting, wholeNumber } from './processes/options.ts';
import { run } from './processes/run.ts';
import { wordsOf } from './processes/words.ts';
import { startOurs } from './stage/contenders.ts';
import { Ledger } from './stage/ledger.ts';
import { type Bench, type Contender, type Measured, measure, mustHaveAnswered } from './stage/measure.ts';

/**
 * What a setting costs: the same service with two sets of them. Each round starts both anew, since a process keeps for
 * life what its first seconds made of it, and measures them in turn, second by second, as A B B A: the speed of a machine
 * that others share changes by a tenth from one second to the next, and is to be the same for both.
 */
const usage = `npm run bench:compare -- --set NAME=VALUE [--set NAME=VALUE]... [--base NAME=VALUE]...
                         [--load 64] [--rounds 9] [--seconds 20] [--warm-up 6] [--campaigns 10000]

  --set      runs the second one with this setting, such as LOG_LEVEL=silent
  --base     runs the first one with this setting instead of the default
  --load     a number of connections, hot or mixed
  --rounds   how often both are started anew
  --seconds  for which a round measures each, one at a time
  --warm-up  of each before, in seconds`;

type Sets = Readonly<Record<string, string>>;
interface Comparison {
  readonly base: Sets;
  readonly set: Sets;
  readonly load: Load;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUp: number;
  readonly campaigns: number;
}

/** What a round has found of one: microseconds of CPU time a request, requests a second. */
interface Found {
  readonly cpu: number;
  readonly rate: number;
}

const nameOf = (sets: Sets) =>
  Object.entries(sets)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ') || 'as usual';

async function compare(comparison: Comparison, cleanup: Cleanup) {
  const { base, set, load, rounds, seconds, campaigns } = comparison;
  const cores = divideCores();
  const seed = { campaigns, keys: newKeys(1_000) };
  const databases = await openDatabases(seed, cleanup);
  const names = [nameOf(base), nameOf(set)] as const;
  const own = [databases.ours, await databases.copy('others')] as const;
  const generator = await openLoadGenerator(seed, cleanup);
  const bench = { generator, postmaster: databases.postmaster, seed, ledger: new Ledger() };
  console.log(machine(databases.server, cores, {}));
  for (const database of own) await checkpoint(database);

  const pairs: [Found, Found][] = [];
  for (let round = 1; round <= rounds; round++) {
    const first = await startOurs(own[0], { settings: base }, cores, cleanup, names[0]);
    const second = await startOurs(own[1], { settings: set }, cores, cleanup, names[1]);
    const pair = await measurePair(first, second, round % 2 === 1, comparison, bench);
    pairs.push(pair);
    console.error(`round ${round}: ${pair.map(({ cpu }) => `${cpu.toFixed(1)} µs`).join(', ')}`);
    await first.end();
    await second.end();
  }
  console.log(`${load.name} connections, ${rounds} rounds of ${seconds} s each`);
  const [ones, others] = [pairs.map(([found]) => found), pairs.map(([, found]) => found)];
  tell(names[0], ones);
  tell(names[1], others);
  tellDifference(
    'CPU time a request',
    pairs.map(([a, b]) => more(a.cpu, b.cpu)),
  );
  tellDifference(
    'requests a second',
    pairs.map(([a, b]) => more(a.rate, b.rate)),
  );
  const faults = [...bench.ledger.faults];
  for (const [at, name] of names.entries()) {
    faults.push(...(await historyFaults(own[at] as Database, bench.ledger.updatesOf(name))));
  }
  for (const fault of faults) console.error(`wrong: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

async function measurePair(
  first: Contender,
  second: Contender,
  isInTurn: boolean,
  { load, seconds, warmUp }: Comparison,
  bench: Bench,
): Promise<[Found, Found]> {
  for (const one of [first, second]) await measure(one, load, warmUp, bench);
  const [ofFirst, ofSecond]: [Measured[], Measured[]] = [[], []];
  const measureFirst = async () => ofFirst.push(await measure(first, load, 1, bench));
  const measureSecond = async () => ofSecond.push(await measure(second, load, 1, bench));
  for (let passed = 0; passed < seconds; passed++) {
    const isFirst = (passed % 2 === 0) === isInTurn;
    for (const next of isFirst ? [measureFirst, measureSecond] : [measureSecond, measureFirst]) await next();
  }
  mustHaveAnswered(first, ofFirst);
  mustHaveAnswered(second, ofSecond);
  return [together(ofFirst), together(ofSecond)];
}

function together(measured: readonly Measured[]): Found {
  const requests = measured.reduce((sum, one) => sum + one.requests, 0);
  const answered = measured.filter((one) => one.requests > 0);
  const cpu = answered.reduce((sum, one) => sum + (one.cpu.service ?? Number.NaN) * one.requests, 0);
  return { cpu: cpu / requests, rate: measured.reduce((sum, { rate }) => sum + rate, 0) / measured.length };
}

function tell(name: string, found: readonly Found[]): void {
  const cpu = found.map((one) => one.cpu);
  const [least, greatest] = [Math.min(...cpu), Math.max(...cpu)];
  const rate = median(found.map((one) => one.rate)) ?? Number.NaN;
  console.log(
    `${name}: ${median(cpu)?.toFixed(1)} µs of CPU time a request (${least.toFixed(1)} to ${greatest.toFixed(1)}), ${rate.toFixed(0)} requests a second`,
  );
}

/** In percent, of the second over the first. */
const more = (one: number, other: number) => (other / one - 1) * 100;

function tellDifference(what: string, percents: readonly number[]): void {
  const shown = (percent: number | undefined) => `${(percent ?? 0) < 0 ? '' : '+'}${percent?.toFixed(1)} %`;
  const spread = `${shown(Math.min(...percents))} to ${shown(Math.max(...percents))}`;
  console.log(`${what}, the second over the first: ${shown(median(percents))} (${spread})`);
}

function readWords(words: string[]): Comparison | undefined {
  const { values } = parseArgs({
    args: words,
    options: {
      base: { type: 'string', multiple: true },
      set: { type: 'string', multiple: true },
      load: { type: 'string', default: '64' },
      rounds: { type: 'string', default: '9' },
      seconds: { type: 'string', default: '20' },
      'warm-up': { type: 'string', default: '6' },
      campaigns: { type: 'string', default: '10000' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return undefined;
  const [base, set] = [values.base ?? [], values.set ?? []].map((sets) =>
    Object.fromEntries(sets.map(setting)),
  );
  if (!base || !set || nameOf(base) === nameOf(set)) throw new Error('--set has to name another setting');
  return {
    base,
    set,
    load: loadOf(values.load),
    rounds: wholeNumber('--rounds', values.rounds, 1, 100),
    seconds: wholeNumber('--seconds', values.seconds, 1, 3_600),
    warmUp: wholeNumber('--warm-up', values['warm-up'], 1, 3_600),
    campaigns: wholeNumber('--campaigns', values.campaigns, 1_000, 5_000_000),
  };
}

const asked = wordsOf(usage, readWords);
await run((cleanup) => compare(asked, cleanup));
