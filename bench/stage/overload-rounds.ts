import { median } from 'd3-array';
import type { Asking, LoadGenerator } from '../load/generator.ts';
import { loadOf } from '../load/load.ts';
import { cpuOfFamily, memoryOf } from '../processes/process-figures.ts';
import type { Running } from '../processes/processes.ts';

/** One rate of arrivals, or none where each connection asks as soon as it is answered. */
export interface OverloadRound {
  /** Arrivals that were wanted, as a multiple of the peak; undefined for the peak itself. */
  readonly times: number | undefined;
  readonly name: string;
  /** A second: what arrived, what was carried out, what was refused, what found no connection free. */
  readonly arrived: number;
  readonly carriedOut: number;
  readonly refused: number;
  readonly heldBack: number;
  /** Milliseconds, of what was carried out. */
  readonly p99: number;
  /** How much of a core the service took, in percent. */
  readonly core: number | undefined;
  /** Resident MB: the medians of the second and of the last third of the round. */
  readonly memory: readonly [number | undefined, number | undefined];
  /** Answers that are neither 200 nor 503, connections that broke. */
  readonly faults: readonly string[];
}

/** What has to be kept to beyond the capacity; rates count the time until the last answer came, too. */
const bars = { goodput: 0.8, p99: 4, memory: 1.15, arrived: 0.8 };

const closed = loadOf('256');
const open = loadOf('1024');
const betweenSamples = 200;

/** The peak, then each of these multiples of it. The first of them is what is normal. */
export async function overloadRounds(
  service: Running,
  generator: LoadGenerator,
  seconds: number,
  multiples: readonly number[],
): Promise<OverloadRound[]> {
  const { port } = service;
  await generator.carryOut({ port, load: closed, seconds: 3 });
  const peak = await round(undefined, service, generator, { port, load: closed, seconds });
  const rounds = [peak];
  for (const times of multiples) {
    const rate = peak.carriedOut * times;
    rounds.push(await round(times, service, generator, { port, load: open, seconds, rate, isBounded: true }));
  }
  return rounds;
}

async function round(
  times: number | undefined,
  { processId }: Running,
  generator: LoadGenerator,
  asking: Asking,
): Promise<OverloadRound> {
  const name = times === undefined ? 'the peak' : `${times} × the peak`;
  const samples: (number | undefined)[] = [];
  const sampling = setInterval(() => samples.push(memoryOf(processId)), betweenSamples);
  const [cpu = Number.NaN, began] = [cpuOfFamily(processId), performance.now()];
  const answers = await generator.carryOut(asking).finally(() => clearInterval(sampling));
  const [cpuAfter = Number.NaN, passed] = [cpuOfFamily(processId), performance.now() - began];
  const { answered, errors, seconds, p99, requests, heldBack = 0 } = answers;
  const third = Math.floor(samples.length / 3);
  const others = Object.entries(answered).filter(([status]) => status !== '200' && status !== '503');
  const carriedOut = (answered[200] ?? 0) / seconds;
  console.error(`${name}: ${carriedOut.toFixed(0)} a second, p99 ${p99.toFixed(1)} ms`);
  return {
    times,
    name,
    arrived: (requests + heldBack) / seconds,
    carriedOut,
    refused: (answered[503] ?? 0) / seconds,
    heldBack: heldBack / seconds,
    p99,
    core: (cpuAfter - cpu) / 10 / passed,
    memory: [median(samples.slice(third, 2 * third)), median(samples.slice(2 * third))],
    faults: [...others, ...Object.entries(errors)].map(([what, count]) => `${name}: ${what}, ${count} times`),
  };
}

/** Where the bars were missed. */
export function overloadFaults(rounds: readonly OverloadRound[]): string[] {
  const [peak, normal, ...beyond] = rounds as [OverloadRound, OverloadRound, ...OverloadRound[]];
  const refusing = [peak, normal].filter(({ refused }) => refused > 0);
  const missed = beyond.flatMap(
    ({ name, times = 0, arrived, carriedOut, p99, memory: [before = 0, after = 0] }) => [
      ...(arrived < bars.arrived * times * peak.carriedOut
        ? [`${name}: only ${arrived.toFixed(0)} arrived a second`]
        : []),
      ...(carriedOut < bars.goodput * peak.carriedOut
        ? [`${name}: goodput is ${(carriedOut / peak.carriedOut).toFixed(2)} of the peak`]
        : []),
      ...(p99 > bars.p99 * normal.p99
        ? [`${name}: p99 is ${(p99 / normal.p99).toFixed(1)} times the normal one`]
        : []),
      ...(after > bars.memory * before
        ? [`${name}: memory grew from ${before.toFixed(0)} to ${after.toFixed(0)} MB`]
        : []),
    ],
  );
  return [
    ...rounds.flatMap(({ faults }) => faults),
    ...refusing.map(({ name, refused }) => `${name}: ${refused.toFixed(1)} refused a second`),
    ...missed,
  ];
}
