import type { Database } from './database.ts';
import type { Measured } from './load.ts';
import type { Options } from './options.ts';
import { memoryOf } from './process-figures.ts';
import type { LoadGenerator, Running } from './processes.ts';
import { tidy } from './seed.ts';

export type Side = 'floor' | 'ours';
export const sides: readonly Side[] = ['floor', 'ours'];

/** A service that is measured, and its database. */
export interface Contender extends Running {
  readonly database: Database;
}

export interface LoadFigures {
  readonly connections: number;
  /** The n-th round of the one was measured next to the n-th of the other. */
  readonly rounds: Readonly<Record<Side, readonly Measured[]>>;
  /** Megabytes after the last round; undefined where it can not be told. */
  readonly memory: Readonly<Record<Side, number | undefined>>;
}

export interface RunFigures {
  readonly loads: readonly LoadFigures[];
  /** All answers of 200, those of the warm-up too. */
  readonly set: Readonly<Record<Side, number>>;
  /** What was answered besides 200. */
  readonly faults: readonly string[];
}

/** Warms both up for each load, then measures them in turn, so that a slow phase of the machine meets both. */
export async function measureAll(
  contenders: Record<Side, Contender>,
  generator: LoadGenerator,
  postmaster: number | undefined,
  options: Options,
): Promise<RunFigures> {
  const set = { floor: 0, ours: 0 };
  const faults: string[] = [];

  async function measure(side: Side, connections: number, seconds: number): Promise<Measured> {
    const { port, processId, database } = contenders[side];
    await tidy(database);
    const load = { port, connections, seconds, service: processId, postmaster };
    const measured = await generator.carryOut(load);
    set[side] += measured.set;
    for (const [what, count] of Object.entries(measured.others)) {
      faults.push(`${side}, ${connections} connections: ${what}, ${count} times`);
    }
    if (measured.set === 0) throw new Error(`no answer of 200 at all:\n${faults.join('\n')}`);
    return measured;
  }

  const loads: LoadFigures[] = [];
  for (const connections of options.connections) {
    const rounds: Record<Side, Measured[]> = { floor: [], ours: [] };
    for (const side of sides) await measure(side, connections, options.warmUpSeconds);
    for (let round = 1; round <= options.rounds; round++) {
      for (const side of sides) rounds[side].push(await measure(side, connections, options.seconds));
      const rates = sides.map((side) => `${side} ${rounds[side].at(-1)?.rate.toFixed(0)}`);
      console.error(`${connections} connections, round ${round}: ${rates.join(', ')} requests a second`);
    }
    const memory = {
      floor: memoryOf(contenders.floor.processId),
      ours: memoryOf(contenders.ours.processId),
    };
    loads.push({ connections, rounds, memory });
  }
  return { loads, set, faults };
}
