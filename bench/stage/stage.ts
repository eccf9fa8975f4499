import { type Database, openDatabases } from '../databases/database.ts';
import { newKeys } from '../databases/seed.ts';
import { openLoadGenerator } from '../load/generator.ts';
import { generatorCeiling } from '../load/generator-ceiling.ts';
import type { Cleanup } from '../processes/cleanup.ts';
import { divideCores } from '../processes/cores.ts';
import { machine } from '../processes/machine.ts';
import type { Options } from '../processes/options.ts';
import {
  peerNames,
  startBatchedFloor,
  startFloor,
  startFloorWorkers,
  startGuaranteedFloor,
  startOurs,
  startPeer,
} from './contenders.ts';
import { Ledger } from './ledger.ts';
import type { Bench, Contender } from './measure.ts';

/** All that a run needs, up and running. */
export interface Stage {
  /** What the figures are measured on. */
  readonly where: string;
  /** Requests a second that the load generator can see. */
  readonly ceiling: number;
  readonly bench: Bench;
  readonly floor: Contender;
  /** The floor with parts of ours, as far as that is asked for: they leave a history as ours does. */
  readonly betterFloors: readonly Contender[];
  readonly ours: Contender;
  readonly peers: readonly Contender[];
  /** Both as several processes, where that is asked for. */
  readonly several?: { readonly floor: Contender; readonly ours: Contender };
}

export type StageOptions = Pick<
  Options,
  | 'campaigns'
  | 'owners'
  | 'guaranteed'
  | 'batched'
  | 'peers'
  | 'newSegments'
  | 'generator'
  | 'settings'
  | 'profile'
  | 'workers'
>;

export async function openStage(options: StageOptions, cleanup: Cleanup): Promise<Stage> {
  const { workers } = options;
  // Several processes on one core would show nothing: then all share all cores.
  const cores = workers === undefined ? divideCores() : undefined;
  const seed = { campaigns: options.campaigns, keys: newKeys(options.owners) };
  const databases = await openDatabases(seed, cleanup, options);
  const peerDatabases = new Map();
  for (const name of options.peers ? peerNames : []) peerDatabases.set(name, await databases.copy(name));
  const guaranteed = options.guaranteed ? await databases.copy('guaranteed') : undefined;
  const batched = options.batched ? await databases.copy('batched') : undefined;
  const copies = workers && ([await databases.copy('floors'), await databases.copy('workers')] as const);

  const generator = await openLoadGenerator(seed, cleanup, options.generator);
  const placed = machine(databases.server, cores, options.settings);
  const where = `${placed}\n${seed.campaigns} campaigns of ${seed.keys.length} owners; load by ${generator.name}`;
  console.error(`${where}\n`);
  const ceiling = await generatorCeiling(generator, cores, cleanup);
  const floor = await startFloor(databases.floor, cores, cleanup);
  const ours = await startOurs(databases.ours, options, cores, cleanup);
  const betterFloors: Contender[] = [];
  if (guaranteed) betterFloors.push(await startGuaranteedFloor(guaranteed, cores, cleanup));
  if (batched) betterFloors.push(await startBatchedFloor(batched, cores, cleanup));
  const peers: Contender[] = [];
  for (const [name, database] of peerDatabases) peers.push(await startPeer(name, database, cores, cleanup));
  const several = workers && copies && (await startSeveral(workers, copies, options, cleanup));
  const bench = { generator, postmaster: databases.postmaster, seed, ledger: new Ledger() };
  return {
    where,
    ceiling,
    bench,
    floor,
    betterFloors,
    ours,
    peers,
    ...(several && { several }),
  };
}

/** With the databases that the workers of the floor and of ours have. */
async function startSeveral(
  workers: number,
  [floors, ours]: readonly [Database, Database],
  options: StageOptions,
  cleanup: Cleanup,
) {
  const settings = { ...options.settings, WORKERS: String(workers) };
  return {
    floor: await startFloorWorkers(workers, floors, cleanup),
    ours: await startOurs(ours, { ...options, settings }, undefined, cleanup, `ours ×${workers}`),
  };
}
