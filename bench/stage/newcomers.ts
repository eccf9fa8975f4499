import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { median } from 'd3-array';
import { seedOf } from '../database/seed.ts';
import { number, table } from '../figures/statistics.ts';
import { openLoadGenerator } from '../load/generator.ts';
import { planFor } from '../load/plan.ts';
import type { Cleanup } from '../machine/run.ts';
import { type Options, openBench } from './bench.ts';
import { startOurs } from './contenders.ts';

const notes = `Milliseconds until the answer to a caller with a valid key, who connects anew each time, beside connections that ask
again as soon as they are answered; all from one address. First: the first two seconds of the service.`;

/** The longest that a new caller may wait, in milliseconds: the median. */
const bar = 300;

/** How long a caller waits who connects anew, beside many who stay connected, whose keys are refused or valid. */
export async function newcomers(
  options: Options & { readonly before?: string | undefined },
  cleanup: Cleanup,
) {
  const { before: checkout, set: settings, seconds } = options;
  const bench = await openBench(options, cleanup);
  const refused = await openLoadGenerator(seedOf(options.campaigns), cleanup);
  const { head, tails, end } = planFor(bench.seed);
  const call = `${head}1${tails[1]}0123456789${end}`;
  const rows: Record<string, string>[] = [];
  const faults: string[] = [];
  for (const [keys, generator] of Object.entries({ refused, valid: bench.generator }))
    for (const load of options.loads) {
      const service = await startOurs(bench, { settings, checkout });
      const { port } = service;
      const [answers, waits] = await Promise.all([
        generator.carryOut({ port, load, seconds }),
        callsOf(port, call, seconds - 1),
      ]);
      const [first, warm] = [median(waits.slice(0, 40)), median(waits.slice(40))];
      if (!(Math.max(first ?? bar, warm ?? bar) < bar))
        faults.push(`${load.name}, ${keys} keys: beyond ${bar} ms`);
      rows.push({
        connections: load.name,
        keys,
        'answers a second': number(answers.requests / answers.seconds, 0),
        first: number(first, 1),
        warm: number(warm, 1),
        longest: number(Math.max(...waits), 0),
      });
      await service.end();
    }
  console.log(`\n${table(rows)}\n\n${notes}\n\n${bench.where}`);
  return faults;
}

/** One every 50 ms, each on a connection of its own: how long each took until it was answered 200, or infinitely. */
async function callsOf(port: number, call: string, seconds: number): Promise<number[]> {
  const calls: Promise<number>[] = [];
  for (let count = 0; count < seconds * 20; count++) {
    calls.push(waitOf(port, call));
    await pause(50);
  }
  return Promise.all(calls);
}

async function waitOf(port: number, call: string): Promise<number> {
  const begun = performance.now();
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(call);
  const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(15_000) }).catch(() => ['']);
  socket.destroy();
  return String(answer).startsWith('HTTP/1.1 200') ? performance.now() - begun : Number.POSITIVE_INFINITY;
}
