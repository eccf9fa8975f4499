import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { median } from 'd3-array';
import { number, table } from '../figures/statistics.ts';
import { type Asking, answerFaults, type LoadGenerator } from '../load/generator.ts';
import { loadOf } from '../load/plan.ts';
import { memoryOf } from '../machine/process-figures.ts';
import type { Cleanup } from '../machine/run.ts';
import type { Running } from '../machine/service.ts';
import { type Options, openBench } from './bench.ts';
import { startOurs } from './contenders.ts';

const notes = `Arrivals at a fixed rate, whatever the answers take, on 1,024 connections; the peak is what 256 connections get that
ask as soon as they are answered. What arrives while each connection waits for an answer is held back by its caller.
p99 is that of the requests that were carried out.`;

/** What has to be kept to beyond the capacity, as parts and multiples of what is normal. */
const bars = { goodput: 0.8, closed: 0.9, p99: 4, memory: 1.15 };

/** What becomes of the service when more is asked than it can carry. */
export async function overload(options: Options, cleanup: Cleanup) {
  const bench = await openBench(options, cleanup);
  const database = await bench.databases.copy();
  const url = new URL(database.url);
  url.port = String(await delayedServer(url, cleanup));
  const slow = await startOurs(bench, { settings: options.set, database: { ...database, url } });
  const rounds = await overloadRounds(slow, bench.generator, options);
  const closed = await closedRounds(slow, bench.generator, options);
  const far = `A database that is ${delay} ms away\n${overloadTable(rounds)}\n\n${notes}`;
  console.log(`\n${far}\n\n${closedNotes}\n${overloadTable(closed)}\n\n${bench.where}`);
  return [...missed(rounds), ...missedWhenClosed(closed)];
}

/** MAX_IN_FLIGHT by default, and three times as many. */
const callersAtOnce = ['512', '1536'];

const closedNotes = `So many callers, each of whom asks again as soon as it is answered. Here p99 is that of refusals, too.`;

/** As many callers as are carried out at once, and three times as many, in turn. */
async function closedRounds(
  service: Running,
  generator: LoadGenerator,
  { seconds }: Options,
): Promise<Round[]> {
  const { port } = service;
  const rounds: Round[] = [];
  for (const callers of [...callersAtOnce, ...callersAtOnce, ...callersAtOnce]) {
    const asking = { port, load: loadOf(callers), seconds };
    rounds.push(await round(`${callers} callers`, service, generator, asking));
  }
  return rounds;
}

function missedWhenClosed(rounds: readonly Round[]): string[] {
  const faults = rounds.flatMap((one) => one.faults);
  const [within = 0, beyond = 0] = callersAtOnce.map((callers) =>
    median(rounds.filter(({ name }) => name === `${callers} callers`).map(({ carriedOut }) => carriedOut)),
  );
  const part = number(beyond / within, 2);
  console.log(`Three times as many callers leave ${part} of the rate (median)`);
  return beyond >= bars.closed * within ? faults : [...faults, `callers at once: ${part} of the rate`];
}

/** How long each byte takes to the database, in milliseconds: one beside us would share a core with the generator. */
const delay = 100;

/** A port of 127.0.0.1 that stands for the server: answers take no time. */
async function delayedServer({ hostname, port }: URL, cleanup: Cleanup): Promise<number> {
  const server = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port) });
    client.on('data', (bytes) => void pause(delay).then(() => upstream.write(bytes)));
    upstream.on('data', (bytes) => client.write(bytes));
    client.on('error', () => {}).on('close', () => upstream.destroy());
    upstream.on('error', () => {}).on('close', () => client.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanup.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

type Round = Awaited<ReturnType<typeof round>>;

/** The peak, then each of these multiples of it. The first of them is what is normal. */
async function overloadRounds(
  service: Running,
  generator: LoadGenerator,
  { loads: [closed], seconds, warmUp }: Options,
): Promise<Round[]> {
  const { port } = service;
  const load = closed ?? loadOf('256');
  await generator.carryOut({ port, load, seconds: warmUp });
  const peak = await round('the peak', service, generator, { port, load, seconds });
  const rounds = [peak];
  for (const times of [0.5, 3, 10]) {
    const asking = { port, load: loadOf('1024'), seconds, rate: peak.carriedOut * times };
    rounds.push(await round(`${times} × the peak`, service, generator, asking));
  }
  return rounds;
}

/** Rates are a second; memory in MB, in the middle and at the end. */
async function round(name: string, { processId }: Running, generator: LoadGenerator, asking: Asking) {
  const middle = pause(asking.seconds * 500).then(() => memoryOf(processId));
  const answers = await generator.carryOut(asking);
  const { answered, seconds, p99, requests, heldBack = 0 } = answers;
  const carriedOut = (answered[200] ?? 0) / seconds;
  console.error(`${name}: ${carriedOut.toFixed(0)} a second, p99 ${p99.toFixed(1)} ms`);
  return {
    name,
    arrived: (requests + heldBack) / seconds,
    carriedOut,
    refused: (answered[503] ?? 0) / seconds,
    heldBack: heldBack / seconds,
    p99,
    memory: [await middle, memoryOf(processId)] as const,
    faults: answerFaults(answers, '200', '503').map((fault) => `${name}: ${fault}`),
  };
}

function overloadTable(rounds: readonly Round[]): string {
  const [peak, normal] = rounds as [Round, Round];
  return table(
    rounds.map(({ name, arrived, carriedOut, refused, heldBack, p99, memory }) => ({
      arrivals: name,
      'a second': number(arrived, 0),
      'carried out': number(carriedOut, 0),
      refused: number(refused, 0),
      'held back': number(heldBack, 0),
      'of the peak': number(carriedOut / peak.carriedOut, 2),
      'p99 ms': number(p99, 1),
      '× normal': number(p99 / normal.p99, 1),
      MB: memory.map((megabytes) => number(megabytes, 0)).join(' to '),
    })),
  );
}

/** The rounds that missed a bar, each with the bar. */
function missed(rounds: readonly Round[]): string[] {
  const [peak, normal, ...beyond] = rounds as [Round, Round, ...Round[]];
  const refusing = [peak, normal].filter(({ refused }) => refused > 0);
  return [
    ...rounds.flatMap(({ faults }) => faults),
    ...refusing.map(({ name }) => `${name}: some were refused`),
    ...beyond.flatMap(({ name, carriedOut, p99, memory: [before, after] }) => [
      ...(carriedOut < bars.goodput * peak.carriedOut ? [`${name}: too little was carried out`] : []),
      ...(p99 > bars.p99 * normal.p99 ? [`${name}: p99 is too long`] : []),
      ...(after > bars.memory * before ? [`${name}: memory grew from ${before} to ${after} MB`] : []),
    ]),
  ];
}
