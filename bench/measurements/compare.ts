import { holdLocks } from '../database/database.ts';
import { middle, spread } from '../figures/statistics.ts';
import { loadOf } from '../load/plan.ts';
import type { Cleanup } from '../machine/machine.ts';
import { startOurs } from './contenders.ts';
import {
  type Contender,
  finalFaults,
  type Measured,
  measureLoad,
  type Options,
  openBench,
  settingsText,
} from './rounds.ts';

interface Comparison extends Options {
  /** The folder of another checkout, for the first service. */
  readonly before?: string | undefined;
}

/**
 * The cost of a setting or of a change of the code. Each round starts both services again, because the first seconds
 * of a process determine its speed, and measures them second by second in the order A B B A, because the speed of a
 * shared machine changes from one second to the next.
 */
export async function compare(comparison: Comparison, cleanup: Cleanup): Promise<readonly string[]> {
  const { before, processes, set, rounds, seconds, warmUp } = comparison;
  const [load = loadOf('64')] = comparison.loads;
  if (before === undefined && set === undefined && processes === undefined)
    throw new Error('name what is compared: --set, --before or --processes');
  const bench = await openBench(comparison, cleanup);
  // All refused keys come from one network: each must be looked up.
  const limit = load.name === '401' ? { FAILED_KEY_LIMIT: '1000000/1s' } : {};
  const sides = [
    { name: 'first', settings: limit, checkout: before, processes: 1 },
    { name: 'second', settings: { ...limit, ...set }, checkout: undefined, processes },
  ] as const;
  const found: Readonly<Record<string, readonly Measured[]>>[] = [];
  /** For each round and side, the share of the updates of campaigns that were not locked. */
  const free: (readonly number[])[] = [];
  for (let round = 1; round <= rounds; round++) {
    const contenders: Contender[] = [];
    for (const side of sides) contenders.push(await startOurs(bench, side));
    const holders = contenders
      .filter(() => load.name === 'held')
      .map(({ database }) => holdLocks(database.admin, bench.seed.campaigns));
    cleanup.push(...holders);
    found.push(await measureLoad(contenders, load, { rounds: seconds, seconds: 1, warmUp }, bench));
    free.push(await Promise.all(holders.map((release) => release())));
    for (const { end } of contenders) await end();
  }
  const faults = await finalFaults(bench);
  const measured = `load ${load.name}, ${load.connections} connections, ${rounds} rounds of ${seconds} s each`;
  console.log(`${bench.where}\n${measured}`);
  for (const [side, { name, settings, checkout, processes: count = 1 }] of sides.entries()) {
    const each = (what: keyof Measured) => found.map((pair) => middle(pair[name], what));
    const of = (what: keyof Measured, decimals = 0) => spread(each(what), decimals);
    const which = `${name} (${settingsText(settings)}${checkout ? `, in ${checkout}` : ''}, ${count} processes)`;
    const cpu = `${of('cpu', 1)} µs of CPU time a request, ${of('postgres', 1)} of PostgreSQL`;
    console.log(`${which}: ${cpu}, ${of('rate')} a second, ${of('wal')} bytes of WAL an update`);
    const others = each('rate').map((rate, round) => rate * (free[round]?.[side] ?? Number.NaN));
    if (load.name === 'held')
      console.log(`${name}: ${spread(others, 0)} a second of campaigns that nobody locked`);
  }
  for (const what of ['cpu', 'rate'] as const) {
    const percents = found.map((one) => (middle(one.second, what) / middle(one.first, what) - 1) * 100);
    console.log(`${what}, the second over the first, in percent: ${spread(percents, 1)}`);
  }
  return faults;
}
