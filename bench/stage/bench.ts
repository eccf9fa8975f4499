import { historyFaults, type Updates } from '../database/check-history.ts';
import { type Database, type Databases, openDatabases } from '../database/database.ts';
import { newKeys, type Seed, seedOf } from '../database/seed.ts';
import { type LoadGenerator, openLoadGenerator } from '../load/generator.ts';
import { hasKeyEach, type Load } from '../load/plan.ts';
import { divideCores, machine } from '../machine/cores.ts';
import type { Cleanup } from '../machine/run.ts';
import type { Running } from '../machine/service.ts';

/** Settings of our service that are not the defaults. */
export type Settings = Readonly<Record<string, string>>;

/** How it is measured. */
export interface Options {
  readonly loads: readonly Load[];
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUp: number;
  readonly campaigns: number;
  /** How many changes the history has at first; without it none. */
  readonly changes?: number | undefined;
  readonly set?: Settings | undefined;
  /** How many of our processes share a port; then none is kept to a core. */
  readonly processes?: number | undefined;
}

/** A service that is measured, and its database. */
export interface Contender extends Running {
  readonly name: string;
  readonly database: Database;
  /** Whether it leaves a history as ours does. */
  readonly isRecorded: boolean;
}

/** What a measurement needs besides the services, up and running, and what was found wrong so far. */
export interface Bench {
  /** What the figures are measured on. */
  readonly where: string;
  readonly isDivided: boolean;
  readonly databases: Databases;
  readonly generator: LoadGenerator;
  readonly seed: Seed;
  readonly cleanup: Cleanup;
  readonly faults: string[];
  /** How many updates were made of each. */
  readonly updates: Map<Contender, Updates>;
}

/** More than a service is asked a second. */
const mostAsked = 30_000;

export async function openBench(options: Options, cleanup: Cleanup) {
  const { loads, seconds, warmUp, campaigns, changes, set, processes } = options;
  const isDivided = processes === undefined && divideCores();
  const keyed = loads.find(hasKeyEach);
  const keys = newKeys(keyed ? mostAsked * (seconds + warmUp) : 0);
  const seed = seedOf(campaigns, changes, keyed?.status === '200' ? keys : []);
  const databases = await openDatabases(seed, cleanup);
  const generator = await openLoadGenerator(seed, keys, cleanup);
  const ours = `our service: ${settingsText(set)}; ${campaigns} campaigns; load by ${generator.name}`;
  const where = [machine(isDivided), databases.server, ours].join('\n');
  console.error(`${where}\n`);
  const parts = { where, isDivided, databases, generator, seed, cleanup };
  const bench: Bench = { ...parts, faults: [], updates: new Map() };
  return bench;
}

export function settingsText(settings: Settings = {}): string {
  const changed = Object.entries(settings).map((setting) => setting.join('='));
  return changed.join(' ') || 'its default settings';
}

/** What was cut off by a round's end is done when the services have ended: then the history is looked at, too. */
export async function finalFaults({ faults, updates }: Bench): Promise<string[]> {
  const found = [...faults];
  for (const [{ name, database, isRecorded, end }, made] of updates) {
    await end();
    const wrong = isRecorded ? await historyFaults(database.admin, made) : [];
    found.push(...wrong.map((fault) => `${name}: ${fault}`));
    if (isRecorded && wrong.length === 0)
      console.log(
        `${name}: ${made.answered} updates, all recorded, no chain broken; ${made.refused} refused`,
      );
  }
  return found;
}
