import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Cleanup } from '../processes/cleanup.ts';
import { type Figures, sideBySide } from './side-by-side.ts';

const keys = 500_000;
const counters = ['ours', 'RateLimiterCluster'];
const pairs = [64, 1].flatMap((atOnce) => counters.map((counter) => `${counter}, ${atOnce} at a time`));

const notes = `One worker, ${keys} calls with different keys. heap: by how much the primary's has grown, after a collection.
worker, primary: their CPU time for a call, user and system.`;

/** What it costs a worker and its primary to count. */
export async function countsTable(rounds: number, cleanup: Cleanup): Promise<string> {
  return `${await sideBySide(pairs, rounds, (pair) => measure(pair, cleanup))}\n\n${notes}`;
}

async function measure(pair: string, cleanup: Cleanup): Promise<Figures> {
  const [counter = '', atOnce = ''] = pair.split(/, | at /);
  const primary = fork(`${import.meta.dirname}/counts-primary.ts`, [counter, String(keys / 2), atOnce], {
    execArgv: ['--expose-gc'],
  });
  const forget = cleanup.add(async () => primary.kill());
  const told = once(primary, 'message');
  await once(primary, 'exit');
  forget();
  if (primary.exitCode !== 0) throw new Error(`the primary of ${counter} failed`);
  return (await told)[0];
}
