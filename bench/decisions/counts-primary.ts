import cluster from 'node:cluster';
import { RateLimiterClusterMaster } from 'rate-limiter-flexible';
import { countsForWorkers } from '../../packages/app/src/limits/counts-for-workers.ts';
import type { Figures } from './side-by-side.ts';

const [, , counter, half, atOnce] = process.argv;
/** The window is longer than the measurement. */
const rate = { limit: 10, seconds: 86_400 };

cluster.setupPrimary({
  exec: `${import.meta.dirname}/counts-worker.ts`,
  args: [JSON.stringify({ counter, half: Number(half), atOnce: Number(atOnce), rate })],
});
if (counter !== 'ours') new RateLimiterClusterMaster();
const limits = { RATE_LIMIT: rate, FAILED_KEY_LIMIT: undefined, REDIS_URL: undefined };
const count = counter === 'ours' ? await countsForWorkers(limits) : undefined;
const worker = cluster.fork();
worker.once('exit', (code) => process.exit(code ?? 1));
let onSpent = (_: number) => {};
worker.on('message', ({ question, who, spent }) => {
  if (spent) onSpent(spent);
  else if (question) count?.('key', who).then((counts) => worker.send({ question, counts }));
});

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Lets the worker make half of the calls. */
async function measuredHalf() {
  const begun = process.cpuUsage();
  const spent = new Promise<number>((resolve) => {
    onSpent = resolve;
  });
  worker.send('half');
  const ofWorker = await spent;
  const { user, system } = process.cpuUsage(begun);
  return { ofWorker, ofPrimary: user + system, heap: heap() };
}

const before = heap();
const [first, second] = [await measuredHalf(), await measuredHalf()];
const calls = 2 * Number(half);
const figures: Figures = {
  'heap MB after half': (first.heap - before) / 1e6,
  'after all': (second.heap - before) / 1e6,
  'worker µs': (first.ofWorker + second.ofWorker) / calls,
  'primary µs': (first.ofPrimary + second.ofPrimary) / calls,
};
process.send?.(figures, () => worker.disconnect());
