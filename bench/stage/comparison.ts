import { Option } from '@commander-js/extra-typings';
import { max, mean, median, min, sum } from 'd3-array';
import { checkpoint } from '../databases/seed.ts';
import { type Load, loadOf } from '../load/load.ts';
import type { Cleanup } from '../processes/cleanup.ts';
import { commandLine, type Settings, setting, wholeNumber } from '../processes/command-line.ts';
import { type Bench, finalFaults, openBench } from './bench.ts';
import { type Contender, startOurs } from './contenders.ts';
import { type Measured, measure, mustHaveAnswered } from './measure.ts';
import { inTurn } from './rounds.ts';

export function comparisonLine(name: string, does: string) {
  return commandLine(name, does)
    .option('--set <NAME=VALUE>', 'runs the second one with this setting, such as LOG_LEVEL=silent', setting)
    .option('--base <NAME=VALUE>', 'runs the first one with this setting instead of the default', setting)
    .addOption(
      new Option('--load <LOAD>', 'a number of connections, hot or mixed')
        .argParser(loadOf)
        .default(loadOf('64'), '64'),
    )
    .option('--rounds <N>', 'how often both are started anew', wholeNumber(1, 100), 9)
    .option('--seconds <N>', 'for which a round measures each, one at a time', wholeNumber(1, 3_600), 20)
    .option('--warm-up <N>', 'of each before, in seconds', wholeNumber(1, 3_600), 6)
    .option('--campaigns <N>', 'how many there are', wholeNumber(1_000, 5_000_000), 10_000);
}

export interface Comparison {
  readonly base?: Settings | undefined;
  /** The folder of another checkout, which the first one is run from. */
  readonly before?: string | undefined;
  readonly set: Settings;
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

/**
 * What a setting costs: the same service with two sets of them. Each round starts both anew, since a process keeps for
 * life what its first seconds made of it, and measures them in turn, second by second, as A B B A: the speed of a machine
 * that others share changes by a tenth from one second to the next, and is to be the same for both.
 */
export async function compare(comparison: Comparison, cleanup: Cleanup): Promise<readonly string[]> {
  const { base = {}, before, set, load, rounds, seconds } = comparison;
  const bench = await openBench(comparison, cleanup);
  const sides = [
    {
      name: before ? `${nameOf(base)}, in ${before}` : nameOf(base),
      settings: base,
      checkout: before,
      database: await bench.databases.copy(),
    },
    { name: nameOf(set), settings: set, checkout: undefined, database: bench.databases.first },
  ];
  for (const { database } of sides) await checkpoint(database);
  const found: (readonly Found[])[] = [];
  let contenders: Contender[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const { end } of contenders) await end();
    contenders = [];
    for (const { name, settings, checkout, database } of sides) {
      contenders.push(
        await startOurs(database, settings, bench.cores, cleanup, { name, ...(checkout && { checkout }) }),
      );
    }
    const pair = await measurePair(contenders, round, comparison, bench);
    found.push(pair);
    console.error(`round ${round}: ${pair.map(({ cpu }) => `${cpu.toFixed(1)} µs`).join(', ')}`);
  }
  const faults = await finalFaults(bench, contenders);
  console.log(`${bench.where}\n${load.name} connections, ${rounds} rounds of ${seconds} s each`);
  for (const [at, { name }] of sides.entries()) {
    const cpu = found.map((pair) => pair[at]?.cpu ?? Number.NaN);
    const spread = `${min(cpu)?.toFixed(1)} to ${max(cpu)?.toFixed(1)}`;
    const rate = median(found, (pair) => pair[at]?.rate)?.toFixed(0);
    console.log(
      `${name}: ${median(cpu)?.toFixed(1)} µs of CPU time a request (${spread}), ${rate} requests a second`,
    );
  }
  tellDifference(
    'CPU time a request',
    found.map(([a, b]) => more(a?.cpu, b?.cpu)),
  );
  tellDifference(
    'requests a second',
    found.map(([a, b]) => more(a?.rate, b?.rate)),
  );
  return faults;
}

function nameOf(settings: Settings): string {
  const changed = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return changed.join(' ') || 'as usual';
}

async function measurePair(
  contenders: readonly Contender[],
  round: number,
  { load, seconds, warmUp }: Comparison,
  bench: Bench,
): Promise<readonly Found[]> {
  const measured = new Map<Contender, Measured[]>(contenders.map((one) => [one, []]));
  for (const one of contenders) await measure(one, load, warmUp, bench);
  for (let second = 0; second < seconds; second++) {
    for (const one of inTurn(contenders, round + second)) {
      measured.get(one)?.push(await measure(one, load, 1, bench));
    }
  }
  return [...measured].map(([one, rounds]) => {
    mustHaveAnswered(one, rounds);
    const cpu = sum(rounds, ({ cpu, requests }) =>
      requests > 0 ? (cpu.service ?? Number.NaN) * requests : 0,
    );
    return {
      cpu: cpu / sum(rounds, ({ requests }) => requests),
      rate: mean(rounds, ({ rate }) => rate) ?? Number.NaN,
    };
  });
}

/** In percent, of the second over the first. */
const more = (one = Number.NaN, other = Number.NaN) => (other / one - 1) * 100;

function tellDifference(what: string, percents: readonly number[]): void {
  const shown = (percent = Number.NaN) => `${percent < 0 ? '' : '+'}${percent.toFixed(1)} %`;
  const spread = `${shown(min(percents))} to ${shown(max(percents))}`;
  console.log(`${what}, the second over the first: ${shown(median(percents))} (${spread})`);
}
