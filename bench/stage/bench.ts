import { historyFaults, type Updates } from '../databases/check-history.ts';
import { type Databases, openDatabases } from '../databases/database.ts';
import { newKeys, type Seed } from '../databases/seed.ts';
import { type LoadGenerator, openLoadGenerator } from '../load/generator.ts';
import type { Cleanup } from '../processes/cleanup.ts';
import type { Settings } from '../processes/command-line.ts';
import { type Cores, divideCores } from '../processes/cores.ts';
import { placed } from '../processes/machine.ts';
import type { Contender } from './contenders.ts';

/** What a measurement needs besides the services, up and running, and what was found wrong so far. */
export interface Bench {
  /** What the figures are measured on. */
  readonly where: string;
  readonly cores: Cores | undefined;
  readonly seed: Seed;
  readonly databases: Databases;
  readonly generator: LoadGenerator;
  readonly faults: string[];
  /** How many updates were made, the warm-ups' too, by the contender's name. */
  readonly updates: Map<string, Updates>;
}

interface BenchOptions {
  readonly campaigns: number;
  /** How many they belong to, each with a key. */
  readonly owners?: number;
  readonly newSegments?: boolean | undefined;
  /** Whether several processes are measured, which share all cores: on one they would show nothing. */
  readonly isShared?: boolean;
  readonly settings?: Settings | undefined;
}

export async function openBench(
  { campaigns, owners = 1_000, newSegments = false, isShared = false, settings = {} }: BenchOptions,
  cleanup: Cleanup,
): Promise<Bench> {
  const cores = isShared ? undefined : divideCores();
  const seed = { campaigns, keys: newKeys(owners) };
  const databases = await openDatabases({ filling: seed, newSegments }, cleanup);
  const generator = await openLoadGenerator(seed, cleanup);
  const where = `${placed(databases.server, cores, settings)}\n${campaigns} campaigns of ${owners} owners; load by ${generator.name}`;
  console.error(`${where}\n`);
  return { where, cores, seed, databases, generator, faults: [], updates: new Map() };
}

/** What was made of the rounds' end is done when the services have ended: then the history is looked at, too. */
export async function finalFaults({ faults, updates }: Bench, contenders: readonly Contender[]) {
  const found = [...faults];
  for (const { name, database, isRecorded, end } of contenders) {
    await end();
    const wrong = isRecorded ? await historyFaults(database, updatesOf(updates, name)) : [];
    found.push(...wrong.map((fault) => `${name}: ${fault}`));
  }
  return found;
}

export function updatesOf(updates: Bench['updates'], name: string): Updates {
  return updates.get(name) ?? { answered: 0, asked: 0 };
}
