import { sum } from 'd3-array';
import {
  type Database,
  type Databases,
  historyFaults,
  openDatabases,
  query,
  type Updates,
} from '../database/database.ts';
import { newKeys, type Seed, seedOf } from '../database/seed.ts';
import { answerFaults, type LoadGenerator, openLoadGenerator } from '../load/generator.ts';
import { hasKeyEach, type Load } from '../load/plan.ts';
import { type Cleanup, cpuOfFamily, divideCores, machine, memoryOf } from '../machine/machine.ts';
import type { Running } from '../machine/service.ts';

/** Settings of our service that differ from their defaults. */
export type Settings = Readonly<Record<string, string>>;

/** The options of a measurement. */
export interface Options {
  readonly loads: readonly Load[];
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUp: number;
  readonly campaigns: number;
  /** The changes in the history at the start; none by default. */
  readonly changes?: number | undefined;
  readonly set?: Settings | undefined;
  /** How many of our processes share a port. With this option, no process has a core of its own. */
  readonly processes?: number | undefined;
}

/** A service that is measured, and its database. */
export interface Contender extends Running {
  readonly name: string;
  readonly database: Database;
  /** Whether it writes a history like ours. */
  readonly isRecorded: boolean;
}

/** What a measurement needs besides the services, and the faults so far. */
export interface Bench {
  /** The machine, the server and the settings, for the report. */
  readonly where: string;
  readonly isDivided: boolean;
  readonly databases: Databases;
  readonly generator: LoadGenerator;
  readonly seed: Seed;
  readonly cleanup: Cleanup;
  readonly faults: string[];
  readonly updates: Map<Contender, Updates>;
}

/** More requests a second than a service answers. */
const mostRequests = 30_000;

export async function openBench(options: Options, cleanup: Cleanup): Promise<Bench> {
  const { loads, seconds, warmUp, campaigns, changes, set, processes } = options;
  const isDivided = processes === undefined && divideCores();
  const keyed = loads.find(({ name }) => hasKeyEach(name));
  const keys = newKeys(keyed ? mostRequests * (seconds + warmUp) : 0);
  const seed = seedOf(campaigns, changes, keyed?.status === '200' ? keys : []);
  const databases = await openDatabases(seed, cleanup);
  const generator = await openLoadGenerator(seed, keys, cleanup);
  const ours = `our service: ${settingsText(set)}; ${campaigns} campaigns; load by ${generator.name}`;
  const where = [machine(isDivided), databases.server, ours].join('\n');
  console.error(`${where}\n`);
  return { where, isDivided, databases, generator, seed, cleanup, faults: [], updates: new Map() };
}

export function settingsText(settings: Settings = {}): string {
  const changed = Object.entries(settings).map((setting) => setting.join('='));
  return changed.join(' ') || 'its default settings';
}

/** Ends the services, which completes interrupted requests, and checks their histories. */
export async function finalFaults({ faults, updates }: Bench): Promise<string[]> {
  const found = [...faults];
  for (const [{ name, database, isRecorded, end }, { answered, refused, sent }] of updates) {
    await end();
    if (!isRecorded) continue;
    const wrong = await historyFaults(database.admin, { answered, refused, sent });
    found.push(...wrong.map((fault) => `${name}: ${fault}`));
    if (wrong.length === 0)
      console.log(`${name}: ${answered} updates, all recorded, no chain broken; ${refused} refused`);
  }
  return found;
}

/** The figures of a round: requests a second, milliseconds, microseconds of CPU time a request, MB. */
export interface Measured {
  readonly rate: number;
  readonly p99: number;
  readonly cpu: number;
  readonly postgres: number;
  /** Resident memory of the service after the round. */
  readonly memory: number;
  /** Bytes of WAL a request. */
  readonly wal: number;
}

const walSoFar = `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`;

/** One round of one service. */
async function measure(contender: Contender, load: Load, seconds: number, bench: Bench): Promise<Measured> {
  const { name, port, processId, others = [], database } = contender;
  const processes = [processId, ...others];
  const costs = async () => ({
    cpu: sum(processes, cpuOfFamily),
    postgres: cpuOfFamily(bench.databases.postmaster),
    wal: Number((await query<{ bytes: string }>(database.admin, walSoFar))[0]?.bytes),
  });
  const before = await costs();
  const updates = bench.updates.get(contender) ?? { answered: 0, refused: 0, sent: 0 };
  const answers = await bench.generator.send(port, load, seconds, updates.sent);
  const after = await costs();
  const { requests, p99, answered } = answers;
  bench.faults.push(...answerFaults(answers, load.status).map((fault) => `${name}, ${load.name}: ${fault}`));
  updates.answered += answered[200] ?? 0;
  if (load.status !== '200') updates.refused += answered[load.status] ?? 0;
  updates.sent += requests + load.connections + 1;
  bench.updates.set(contender, updates);
  const each = (what: keyof typeof after) => (after[what] - before[what]) / requests;
  const memory = sum(processes, memoryOf);
  const rate = requests / answers.seconds;
  return { rate, p99, cpu: each('cpu'), postgres: each('postgres'), wal: each('wal'), memory };
}

/**
 * Warms all services up, then measures them in turn, because the speed of the machine changes. The n-th rounds of all
 * were measured one after the other. `beforeEach` runs before each measurement.
 */
export async function measureLoad(
  contenders: readonly Contender[],
  load: Load,
  { rounds: count, seconds, warmUp }: Pick<Options, 'rounds' | 'seconds' | 'warmUp'>,
  bench: Bench,
  beforeEach: () => Promise<unknown> = async () => {},
): Promise<Readonly<Record<string, readonly Measured[]>>> {
  const rounds: Record<string, Measured[]> = {};
  for (const contender of contenders) await measure(contender, load, warmUp, bench);
  for (let round = 1; round <= count; round++) {
    const parts: string[] = [];
    // The order alternates: pages that one service leaves to be written must not always delay the same other one.
    for (const contender of round % 2 === 1 ? contenders : contenders.toReversed()) {
      await beforeEach();
      const measured = await measure(contender, load, seconds, bench);
      const { name } = contender;
      rounds[name] = [...(rounds[name] ?? []), measured];
      parts.push(`${name} ${measured.rate.toFixed(0)} a second, p99 ${measured.p99.toFixed(1)} ms`);
    }
    console.error(`${load.name}, round ${round}: ${parts.join('; ')}`);
  }
  return rounds;
}
