import { parseArgs } from 'node:util';
import { historyFaults } from './check-history.ts';
import type { Cleanup } from './cleanup.ts';
import { startOurs } from './contenders.ts';
import { divideCores } from './cores.ts';
import { openDatabases } from './database.ts';
import { openLoadGenerator } from './generator.ts';
import { Ledger } from './ledger.ts';
import { type Load, loadOf } from './load.ts';
import { machine } from './machine.ts';
import { type Contender, type Measured, measure } from './measure.ts';
import { setting, wholeNumber } from './options.ts';
import { run } from './run.ts';
import { checkpoint, newKeys } from './seed.ts';
import { median } from './statistics.ts';

/** What a setting costs: the same service with two sets of them, in alternating rounds. */
const usage = `npm run bench:compare -- --set NAME=VALUE [--set NAME=VALUE]... [--base NAME=VALUE]...
                         [--load 64] [--rounds 9] [--seconds 4] [--campaigns 10000]

  --set    runs the second one with this setting, such as LOG_LEVEL=silent
  --base   runs the first one with this setting instead of the default
  --load   a number of connections, hot or mixed`;

type Sets = Readonly<Record<string, string>>;
interface Comparison {
  readonly base: Sets;
  readonly set: Sets;
  readonly load: Load;
  readonly rounds: number;
  readonly seconds: number;
  readonly campaigns: number;
}

const nameOf = (sets: Sets) =>
  Object.entries(sets)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ') || 'as usual';

async function compare({ base, set, load, rounds, seconds, campaigns }: Comparison, cleanup: Cleanup) {
  const cores = divideCores();
  const seed = { campaigns, keys: newKeys(1_000) };
  const databases = await openDatabases(seed, cleanup);
  const own = [databases.ours, await databases.copy('others')] as const;
  const generator = await openLoadGenerator(seed, cleanup);
  const first = await startOurs(own[0], { settings: base }, cores, cleanup, nameOf(base));
  const second = await startOurs(own[1], { settings: set }, cores, cleanup, nameOf(set));
  const bench = { generator, postmaster: databases.postmaster, seed, ledger: new Ledger() };
  console.log(machine(databases.server, cores, {}));
  for (const one of [first, second]) {
    await checkpoint(one.database);
    await measure(one, load, seconds + 2, bench);
  }
  const pairs: [Measured, Measured][] = [];
  for (let round = 1; round <= rounds; round++) {
    // Who goes second finds the other's pages to be written: in turn.
    const inTurn = round % 2 === 1;
    const one = await measure(inTurn ? first : second, load, seconds, bench);
    const other = await measure(inTurn ? second : first, load, seconds, bench);
    pairs.push(inTurn ? [one, other] : [other, one]);
  }
  console.log(`${load.name} connections, ${rounds} alternating rounds of ${seconds} s`);
  tell(
    first,
    pairs.map(([measured]) => measured),
  );
  tell(
    second,
    pairs.map(([, measured]) => measured),
  );
  tellDifference(
    'CPU time a request',
    pairs.map(([a, b]) => more(a.cpu.service, b.cpu.service)),
  );
  tellDifference(
    'requests a second',
    pairs.map(([a, b]) => more(a.rate, b.rate)),
  );
  await first.end();
  await second.end();
  const faults = [...bench.ledger.faults];
  for (const { name, database } of [first, second]) {
    faults.push(...(await historyFaults(database, bench.ledger.updatesOf(name))));
  }
  for (const fault of faults) console.error(`wrong: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

function tell({ name }: Contender, measured: readonly Measured[]): void {
  const cpu = measured.map((one) => one.cpu.service ?? Number.NaN);
  const [least, greatest] = [Math.min(...cpu), Math.max(...cpu)];
  const rate = median(measured.map((one) => one.rate)) ?? Number.NaN;
  console.log(
    `${name}: ${median(cpu)?.toFixed(1)} µs of CPU time a request (${least.toFixed(1)} to ${greatest.toFixed(1)}), ${rate.toFixed(0)} requests a second`,
  );
}

/** In percent, of the second over the first. */
const more = (one = Number.NaN, other = Number.NaN) => (other / one - 1) * 100;

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
      seconds: { type: 'string', default: '4' },
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
    campaigns: wholeNumber('--campaigns', values.campaigns, 1_000, 5_000_000),
  };
}

let comparison: Comparison | undefined;
try {
  comparison = readWords(process.argv.slice(2));
} catch (error) {
  console.error(`${(error as Error).message}\n\n${usage}`);
  process.exit(2);
}
if (!comparison) {
  console.log(usage);
  process.exit(0);
}
const asked = comparison;
await run((cleanup) => compare(asked, cleanup));
