import { type Counters, counted, countersOf } from '../databases/database-figures.ts';
import { tidy } from '../databases/seed.ts';
import { answerFaults } from '../load/check-answers.ts';
import type { Load } from '../load/load.ts';
import { cpuOfFamily, memoryOfFamily } from '../processes/process-figures.ts';
import { type Bench, updatesOf } from './bench.ts';
import type { Contender } from './contenders.ts';
import { startProber } from './prober.ts';

/** A round's figures: requests a second, milliseconds, microseconds of CPU time a request, MB. */
export interface Measured {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999?: number;
  readonly cpu: Readonly<Record<'service' | 'postgres' | 'generator', number | undefined>>;
  /** Resident memory of the service after the round. */
  readonly memory: number | undefined;
  readonly requests: number;
  /** Answers of 200, the prober's too; and how many more the end cut off, most of which are carried out as well. */
  readonly updates: number;
  readonly cutOff: number;
  readonly database: Counters;
}

/** @throws Error when nobody was answered in any of the rounds */
export function mustHaveAnswered({ name }: Contender, rounds: readonly Measured[]): void {
  if (rounds.every(({ updates }) => updates === 0)) throw new Error(`${name} answered nobody at all`);
}

/** The part of a core from which on the load generator, not the service, decides what is reached. */
const generatorLimit = 0.9;

/** One round of one service, at a fixed rate of arrivals where one is given. */
export async function measure(
  contender: Contender,
  load: Load,
  seconds: number,
  bench: Bench,
  rate?: number,
): Promise<Measured> {
  const { name, port, processId, database } = contender;
  const { postmaster } = bench.databases;
  const figures = async () => ({
    service: cpuOfFamily(processId),
    postgres: postmaster === undefined ? undefined : cpuOfFamily(postmaster),
    database: await countersOf(database),
  });
  await tidy(database);
  const before = await figures();
  const stopProber = startProber(port, database, bench.seed);
  const answers = await bench.generator.carryOut({ port, load, seconds, rate }).finally(stopProber);
  const probed = await stopProber();
  const after = await figures();

  const { requests, p50, p99, p999, answered, made } = answers;
  const updates = (answered[200] ?? 0) + probed.set;
  const asked = (made[200] ?? 0) + probed.set;
  const faults = [...answerFaults(answers, load.connections, contender.otherwise), ...probed.faults];
  const busy = (answers.cpu ?? 0) / 1e6 / answers.seconds;
  if (busy > generatorLimit)
    faults.push(`the generator took ${(busy * 100).toFixed(0)} % of a core: it was the limit`);
  bench.faults.push(...faults.map((fault) => `${name}, ${load.name}: ${fault}`));
  const sum = updatesOf(bench.updates, name);
  bench.updates.set(name, { answered: sum.answered + updates, asked: sum.asked + asked });
  // A machine that was away for all of a short round is not a fault of the contender.
  const isFault = requests > 0 || faults.length > 0;
  if (updates === 0 && isFault) throw new Error(`no answer of 200 at all:\n${bench.faults.join('\n')}`);
  const each = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined || requests === 0 ? undefined : (to - from) / requests;
  return {
    rate: requests / answers.seconds,
    p50,
    p99,
    ...(p999 !== undefined && { p999 }),
    cpu: {
      service: each(before.service, after.service),
      postgres: each(before.postgres, after.postgres),
      generator: each(0, answers.cpu),
    },
    memory: memoryOfFamily(processId),
    requests,
    updates,
    cutOff: asked - updates,
    database: counted(before.database, after.database),
  };
}
