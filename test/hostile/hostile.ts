// `npm test -- --suite hostile`: see its --help. Ends with 1 where a promise was broken.
import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { startDatabaseServer, stopDatabaseServer } from '../support/database/database-server.ts';
import { seed as given, seedOf } from '../support/seed.ts';
import { type HostileRun, hostileRun } from './run.ts';

const wholeNumber = (text: string) => {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a whole number from 1 to 999999999.');
};

const { requests, seed } = new Command('npm test -- --suite hostile')
  .description('Makes generated requests to a real service, and checks what it answers and stores.')
  .option('--requests <N>', 'how many', wholeNumber, 10_000)
  .option('--seed <N>', 'makes the same ones again', seedOf, given)
  .parse()
  .opts();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
await startDatabaseServer();
try {
  console.log(`SEED=${seed}`);
  const begin = performance.now();
  let last = begin;
  const told = (run: HostileRun) => {
    if (performance.now() - last < 30_000) return;
    last = performance.now();
    console.log(`${run.requests} requests`);
  };
  const run = await hostileRun(requests, seed, told);
  const counts = [...run.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  console.log(
    `${run.requests} requests on ${run.connections} connections in ${seconds} s: ${counts.join(', ')}`,
  );
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  await stopDatabaseServer();
}
process.exit();
