import { holdLocks } from '../database/hold-locks.ts';
import { middle, spread } from '../figures/statistics.ts';
import { loadOf } from '../load/plan.ts';
import type { Cleanup } from '../machine/run.ts';
import { type Contender, finalFaults, type Options, openBench, settingsText } from './bench.ts';
import { startOurs } from './contenders.ts';
import { type Measured, measureLoad } from './rounds.ts';

interface Comparison extends Options {
  /** The folder of another checkout, which the first one is run from. */
  readonly before?: string | undefined;
}

/**
 * What a setting or a change of the code costs. Each round starts both services anew, since a process keeps for life what
 * its first seconds made of it, and measures them in turn, second by second, as A B B A: the speed of a machine that
 * others share changes by a tenth from one second to the next, and is to be the same for both.
 */
export async function compare(comparison: Comparison, cleanup: Cleanup): Promise<readonly string[]> {
  const { before, processes, set, rounds, seconds, warmUp } = comparison;
  const [load = loadOf('64')] = comparison.loads;
  if (before === undefined && set === undefined && processes === undefined)
    throw new Error('--set, --before or --processes has to say what is compared');
  const bench = await openBench(comparison, cleanup);
  // Refused keys all come from one network here: each is looked up, none is refused for their number.
  const limit = load.name === '401' ? { FAILED_KEY_LIMIT: '1000000/1s' } : {};
  const sides = [
    { name: 'first', settings: limit, checkout: before, processes: 1 },
    { name: 'second', settings: { ...limit, ...set }, checkout: undefined, processes },
  ] as const;
  const found: Readonly<Record<string, readonly Measured[]>>[] = [];
  /** Of each round, by the sides: what part of the updates was of campaigns that nobody held. */
  const free: (readonly number[])[] = [];
  for (let round = 1; round <= rounds; round++) {
    const contenders: Contender[] = [];
    for (const side of sides) contenders.push(await startOurs(bench, side));
    const lengths = { rounds: seconds, seconds: 1, warmUp };
    const holders = contenders
      .filter(() => load.name === 'held')
      .map(({ database }) => holdLocks(database.admin, bench.seed.campaigns, cleanup));
    found.push(await measureLoad(contenders, load, lengths, bench));
    free.push(await Promise.all(holders.map((end) => end())));
    for (const { end } of contenders) await end();
  }
  const faults = await finalFaults(bench);
  console.log(
    `${bench.where}\nload ${load.name}, ${load.connections} connections, ${rounds} rounds of ${seconds} s each`,
  );
  for (const [side, { name, settings, checkout, processes: count = 1 }] of sides.entries()) {
    const each = (what: keyof Measured) => found.map((pair) => middle(pair[name], what));
    const of = (what: keyof Measured, decimals = 0) => spread(each(what), decimals);
    const which = `${name} (${settingsText(settings)}${checkout ? `, in ${checkout}` : ''}, ${count} processes)`;
    const cpu = `${of('cpu', 1)} µs of CPU time a request, ${of('postgres', 1)} of PostgreSQL`;
    console.log(`${which}: ${cpu}, ${of('rate')} a second, ${of('wal')} bytes of WAL an update`);
    const rest = each('rate').map((rate, round) => rate * (free[round]?.[side] ?? Number.NaN));
    if (load.name === 'held')
      console.log(`${name}: ${spread(rest, 0)} a second of campaigns that nobody holds`);
  }
  for (const what of ['cpu', 'rate'] as const) {
    const percents = found.map((one) => (middle(one.second, what) / middle(one.first, what) - 1) * 100);
    console.log(`${what}, the second over the first, in percent: ${spread(percents, 1)}`);
  }
  return faults;
}
