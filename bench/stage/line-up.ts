import type { Database } from '../databases/database.ts';
import type { Cleanup } from '../processes/cleanup.ts';
import type { Settings } from '../processes/command-line.ts';
import type { Bench } from './bench.ts';
import { type Contender, type OtherName, startOther, startOurs } from './contenders.ts';

interface LineUp {
  readonly floor: boolean;
  readonly batched?: true | undefined;
  readonly peers: boolean;
  /** Measures the floor and ours as so many processes too. */
  readonly workers?: number | undefined;
  readonly set?: Settings | undefined;
  readonly profile?: string | undefined;
}

const peers = ['fastify', 'koa', 'mikro-orm, tuned', 'mikro-orm'] as const;

/** Stacks on which the contract is carried out without our code. */
export const isPeer = (name: string): boolean => (peers as readonly string[]).includes(name);

/** Starts all that are measured, each on a database of its own, in the order of the tables. */
export async function startAll(
  { floor, batched, workers, set, profile, ...more }: LineUp,
  { databases, cores }: Bench,
  cleanup: Cleanup,
): Promise<Contender[]> {
  const several = { WORKERS: String(workers) };
  const other = (name: OtherName, settings?: Settings) => (database: Database) =>
    startOther(name, database, cores, cleanup, settings);
  const ours = (name: string, settings?: Settings) => (database: Database) =>
    startOurs(database, { ...set, ...settings }, cores, cleanup, { name, profile });
  const starts = [
    ...(floor ? [other('floor')] : []),
    ...(floor && workers ? [other('floor, workers', several)] : []),
    ...(batched ? [other('floor, batched')] : []),
    ours('ours'),
    ...(workers ? [ours('ours, workers', several)] : []),
    ...(more.peers ? peers.map((name) => other(name)) : []),
  ];
  // The copies are made before anybody uses one.
  const copies: Database[] = [];
  for (const _ of starts) copies.push(await databases.copy());
  const started: Contender[] = [];
  for (const [at, start] of starts.entries()) started.push(await start(copies[at] as Database));
  return started;
}
