import { sum } from 'd3-array';
import { query } from '../database/server.ts';
import { answerFaults } from '../load/generator.ts';
import type { Load } from '../load/plan.ts';
import { cpuOfFamily, memoryOf } from '../machine/process-figures.ts';
import type { Bench, Contender, Options } from './bench.ts';

/** A round's figures: requests a second, milliseconds, microseconds of CPU time a request, MB. */
export interface Measured {
  readonly rate: number;
  readonly p99: number;
  readonly cpu: number;
  readonly postgres: number;
  /** Resident memory of the service after the round. */
  readonly memory: number;
  /** Bytes of WAL that the server wrote, for each request. */
  readonly wal: number;
}

const walSoFar = `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`;

/** One round of one service. */
async function measure(contender: Contender, load: Load, seconds: number, bench: Bench) {
  const { name, port, processId, others = [], database } = contender;
  const processes = [processId, ...others];
  const figures = async () => ({
    cpu: sum(processes, cpuOfFamily),
    postgres: cpuOfFamily(bench.databases.postmaster),
    wal: (await query<{ bytes: string }>(database.admin, walSoFar))[0]?.bytes,
  });
  const before = await figures();
  const made = bench.updates.get(contender) ?? { answered: 0, refused: 0, asked: 0 };
  const answers = await bench.generator.carryOut({ port, load, seconds, asked: made.asked });
  const after = await figures();
  const { requests, p99, answered } = answers;
  bench.faults.push(...answerFaults(answers, load.status).map((fault) => `${name}, ${load.name}: ${fault}`));
  made.answered += answered[200] ?? 0;
  if (load.status !== '200') made.refused += answered[load.status] ?? 0;
  made.asked += requests + load.connections + 1;
  bench.updates.set(contender, made);
  const each = (what: keyof typeof after) => (Number(after[what]) - Number(before[what])) / requests;
  const costs = { cpu: each('cpu'), postgres: each('postgres'), wal: each('wal') };
  return {
    rate: requests / answers.seconds,
    p99,
    ...costs,
    memory: sum(processes, memoryOf),
  } satisfies Measured;
}

/**
 * Warms all up, then measures them in turn so that a slow phase of the machine meets all: by their names, so that the n-th
 * rounds of all were measured one after the other. `beforeEach`: what comes before each measurement.
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
    // To and fro: what one leaves for the next, such as pages that are still written to the disk, is not always left to the same.
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
