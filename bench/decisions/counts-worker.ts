import { RateLimiterCluster } from 'rate-limiter-flexible';
import { PrimaryCounts } from '../../packages/app/src/limits/primary-counts.ts';

const { counter, half, atOnce, rate } = JSON.parse(process.argv[2] ?? '');
const count = counter === 'ours' ? ours() : theirs();
let next = 0;

function ours(): (who: string) => Promise<unknown> {
  const counts = new PrimaryCounts((question, who) => process.send?.({ question, who }));
  process.on('message', (answer: { question?: number; counts: [number, number][] }) => {
    if (answer.question) counts.counted(answer.question, answer.counts);
  });
  return (who) => counts.count(who);
}

function theirs(): (who: string) => Promise<unknown> {
  const limiter = new RateLimiterCluster({ points: rate.limit, duration: rate.seconds, keyPrefix: 'key' });
  return (who) => limiter.consume(who);
}

/** A call that is not answered ends the process. */
process.on('message', async (message) => {
  if (message !== 'half') return;
  const end = next + half;
  const begun = process.cpuUsage();
  const caller = async () => {
    while (next < end) await count(`key-${next++}`);
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  const { user, system } = process.cpuUsage(begun);
  process.send?.({ spent: user + system });
});
