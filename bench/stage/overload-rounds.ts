import { columns, number } from '../figures/columns.ts';
import { median } from '../figures/statistics.ts';
import type { LoadGenerator } from '../load/generator.ts';
import type { Answers } from '../load/generator-process.ts';
import { loadOf } from '../load/load.ts';
import { cpuOf, memoryOf } from '../processes/process-figures.ts';
import type { Running } from '../processes/processes.ts';

/** One rate of arrivals, or none where each connection asks as soon as it is answered. */
export interface OverloadRound {
  /** Arrivals that were wanted, as a multiple of the peak; undefined for the peak itself. */
  readonly times: number | undefined;
  /** A second: what arrived, what was carried out, what was refused. */
  readonly arrived: number;
  readonly carriedOut: number;
  readonly refused: number;
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
  const peak = await round(undefined, service, () => generator.carryOut({ port, load: closed, seconds }));
  const rounds = [peak];
  for (const times of multiples) {
    const asking = { port, load: open, seconds };
    const rate = peak.carriedOut * times;
    rounds.push(await round(times, service, () => generator.carryOutAt(rate, asking)));
  }
  return rounds;
}

async function round(
  times: number | undefined,
  { processId }: Running,
  act: () => Promise<Answers>,
): Promise<OverloadRound> {
  const samples: (number | undefined)[] = [];
  const sampling = setInterval(() => samples.push(memoryOf(processId)), betweenSamples);
  const [cpu, began] = [cpuOf(processId), performance.now()];
  const { answered, errors, seconds, p99, requests } = await act().finally(() => clearInterval(sampling));
  const [cpuAfter, passed] = [cpuOf(processId), performance.now() - began];
  const third = Math.floor(samples.length / 3);
  const others = Object.entries(answered).filter(([status]) => status !== '200' && status !== '503');
  const measured: OverloadRound = {
    times,
    arrived: requests / seconds,
    carriedOut: (answered[200] ?? 0) / seconds,
    refused: (answered[503] ?? 0) / seconds,
    p99,
    core: cpu === undefined || cpuAfter === undefined ? undefined : (cpuAfter - cpu) / 10 / passed,
    memory: [median(samples.slice(third, 2 * third)), median(samples.slice(2 * third))],
    faults: [...others, ...Object.entries(errors)].map(([what, count]) => `${what}, ${count} times`),
  };
  console.error(`${nameOf(measured)}: ${measured.carriedOut.toFixed(0)} a second, p99 ${p99.toFixed(1)} ms`);
  return measured;
}

const nameOf = ({ times }: OverloadRound) => (times === undefined ? 'the peak' : `${times} × the peak`);

/** Where the bars were missed. */
export function overloadFaults(rounds: readonly OverloadRound[]): string[] {
  const [peak, normal, ...beyond] = rounds as [OverloadRound, OverloadRound, ...OverloadRound[]];
  const faults = rounds.flatMap((one) => one.faults.map((fault) => `${nameOf(one)}: ${fault}`));
  for (const one of [peak, normal]) {
    if (one.refused > 0) faults.push(`${nameOf(one)}: ${one.refused.toFixed(1)} refused a second`);
  }
  for (const one of beyond) {
    const [before = 0, after = 0] = one.memory;
    const missed = {
      [`only ${one.arrived.toFixed(0)} arrived a second`]:
        one.arrived < bars.arrived * (one.times ?? 0) * peak.carriedOut,
      [`goodput is ${(one.carriedOut / peak.carriedOut).toFixed(2)} of the peak`]:
        one.carriedOut < bars.goodput * peak.carriedOut,
      [`p99 is ${(one.p99 / normal.p99).toFixed(1)} times the normal one`]: one.p99 > bars.p99 * normal.p99,
      [`memory grew from ${before.toFixed(0)} to ${after.toFixed(0)} MB`]: after > bars.memory * before,
    };
    for (const [what, isMissed] of Object.entries(missed)) {
      if (isMissed) faults.push(`${nameOf(one)}: ${what}`);
    }
  }
  return faults;
}

export function overloadTable(rounds: readonly OverloadRound[]): string {
  const [peak, normal] = rounds;
  const lines = rounds.map((one) => [
    nameOf(one),
    number(one.arrived, 0),
    number(one.carriedOut, 0),
    number(one.refused, 0),
    number(one.carriedOut / (peak?.carriedOut ?? Number.NaN), 2),
    number(one.p99, 1),
    number(one.p99 / (normal?.p99 ?? Number.NaN), 1),
    number(one.core, 0),
    one.memory.map((megabytes) => number(megabytes, 0)).join(' to '),
  ]);
  const headings = [
    'arrivals',
    'a second',
    'carried out',
    'refused',
    'of the peak',
    'p99 ms',
    '× normal',
    'core %',
    'MB',
  ];
  return columns(headings, lines);
}
