import type { Database } from '../databases/database.ts';
import type { Cleanup } from '../processes/cleanup.ts';
import type { Settings } from '../processes/command-line.ts';
import type { Bench } from './bench.ts';
import { type Contender, type OtherName, startOther, startOurs } from './contenders.ts';

interface LineUp {
  readonly floor: boolean;
  readonly batched?: true | undefined;
  readonly peers: boolean;
  /** Measures the floor and ours as so many processes on one port too. */
  readonly processes?: number | undefined;
  readonly set?: Settings | undefined;
  readonly profile?: string | undefined;
}

const peers = ['fastify', 'koa', 'mikro-orm, tuned', 'mikro-orm'] as const;

/** Stacks on which the contract is carried out without our code. */
export const isPeer = (name: string): boolean => (peers as readonly string[]).includes(name);

/** Starts all that are measured, each on a database of its own, in the order of the tables. */
export async function startAll(
  { floor, batched, processes, set, profile, ...more }: LineUp,
  { databases, cores }: Bench,
  cleanup: Cleanup,
): Promise<Contender[]> {
  const other = (name: OtherName, several?: number) => (database: Database) =>
    startOther(name, database, cores, cleanup, several);
  const ours = (name: string, several?: number) => (database: Database) =>
    startOurs(database, { ...set }, cores, cleanup, { name, profile, several });
  const starts = [
    ...(floor ? [other('floor')] : []),
    ...(floor && processes ? [other('floor', processes)] : []),
    ...(batched ? [other('floor, batched')] : []),
    ours('ours'),
    ...(processes ? [ours(`ours, ${processes} processes`, processes)] : []),
    ...(more.peers ? peers.map((name) => other(name)) : []),
  ];
  // The copies are made before anybody uses one.
  const copies: Database[] = [];
  for (const _ of starts) copies.push(await databases.copy());
  const started: Contender[] = [];
  for (const [at, start] of starts.entries()) started.push(await start(copies[at] as Database));
  return started;
}
