// `npm test -- --suite cluster`: see its --help. Ends with 1 where a rule was broken, or it served again too late.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Command, Option } from '@commander-js/extra-typings';
import { violationsOf } from '../history/check.ts';
import type { RecordedCall } from '../history/record.ts';
import { countsOf, linesOf, seconds } from '../history/report.ts';
import type { Recorder } from '../history/workload/recorder.ts';
import { recorded } from '../history/workload/run.ts';
import { seed } from '../support/seed.ts';
import { faults } from './faults.ts';
import { program } from './machine.ts';
import { openStage } from './stage.ts';

/** In milliseconds: the bar for how soon it serves again. */
const soon = 10_000;
/** Updates that are made before a fault and after it. */
const around = 100;
/** At a time: two processors carry the whole cluster. */
const callers = 6;

const options = new Command('npm test -- --suite cluster')
  .description(
    'Lets callers, operators and a redirector work on two services before a PostgreSQL cluster that fails over, and ' +
      'checks the history that they leave. As root, on Debian 12 with the packages of ops/debian-packages-cluster. ' +
      'SEED=… in the environment makes the same choices again.',
  )
  .addOption(new Option('--fault <NAME...>', 'what happens meanwhile').choices(Object.keys(faults)))
  .option('--asynchronous', 'without synchronous replication: fails unless acknowledged updates are lost')
  .option('--logs <FOLDER>', 'where to keep the record, and the logs of Patroni and the services')
  .addHelpText(
    'after',
    `\nFaults, each once by default:\n${Object.entries(faults)
      .map(([name, { does }]) => `  ${name.padEnd(20)} ${does}`)
      .join('\n')}`,
  )
  .parse()
  .opts();

const inside = 'CAMPAIGN_MIRROR_CLUSTER';
if (process.env[inside] === undefined) await runIsolated();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const isSynchronous = !options.asynchronous;
const names = options.fault ?? (isSynchronous ? Object.keys(faults) : ['standbys-stalled']);
const begin = performance.now();
const stage = await openStage(isSynchronous);
console.log(`up after ${seconds(performance.now() - begin)}`);

/** What callers saw of each fault: the longest time without a 200, and the calls that ended in that time. */
const felt: { name: string; outage: number; calls: readonly RecordedCall[] }[] = [];
const record = await recorded({ store: stage.store, served: stage, seed, callers }, async (recorder) => {
  await recorder.updates(around);
  for (const name of names) {
    const begin = recorder.now();
    const undo = await faults[name]?.run(stage, recorder);
    const done = recorder.now();
    const { end } = await recorder.next((call) => call.status === 200 && call.begin > done);
    felt.push({ name, ...between(recorder, begin, end) });
    await undo?.();
    await stage.patroni.whole();
    await recorder.updates(around);
  }
});
const violations = violationsOf(record);
if (options.logs) {
  stage.keepLogs(options.logs);
  writeFileSync(`${options.logs}/record.json`, JSON.stringify(record));
}
const { calls, acts, clicks, history } = record;
const longest = Math.max(...calls.map(({ begin, end }) => end - begin));
const lines = [
  `SEED=${seed}: ${countsOf(calls)}, the longest ${seconds(longest)}`,
  `  ${history.length} rows of history, ${acts.length} acts, ${clicks.length} clicks`,
  ...felt.map(
    (one) => `  ${one.name}: ${seconds(one.outage)} without a 200; meanwhile ${countsOf(one.calls)}`,
  ),
  ...linesOf(violations),
];
console.log(lines.join('\n'));
const isLost = violations.some(({ rule }) => rule === 'one-row');
const isLate = felt.some(({ outage }) => outage > soon);
if (isSynchronous ? violations.length > 0 || isLate : !isLost) process.exitCode = 1;
process.exit();

/** From the beginning of a fault until it serves again. */
function between({ calls }: Recorder, begin: number, end: number) {
  const ended = calls.filter((call) => call.end >= begin && call.end <= end);
  const good = ended.filter(({ status }) => status === 200).map((call) => call.end);
  const times = [begin, ...good.sort((one, other) => one - other), end];
  return { calls: ended, outage: Math.max(...times.map((time, at) => time - (times[at - 1] ?? time))) };
}

/**
 * Runs this script again in namespaces of its own: network, mounts, processes, shared memory. The kernel ends all that
 * was started there and drops all that was mounted, as soon as the first process there has ended, and that ends with
 * this one.
 */
async function runIsolated(): Promise<never> {
  if (process.getuid?.() !== 0) throw new Error('only root can make the namespaces of the cluster');
  const child = spawn(
    program('setpriv'),
    [
      ...['--pdeathsig', 'KILL', program('unshare')],
      ...['--net', '--mount', '--ipc', '--pid', '--fork', '--kill-child', '--mount-proc'],
      // A shell comes first: it reaps what others leave behind, as PostgreSQL's processes after Patroni's end.
      ...['sh', '-c', '"$@"; exit $?', 'sh'],
      ...[process.execPath, ...process.execArgv, ...process.argv.slice(1)],
    ],
    { stdio: 'inherit', env: { ...process.env, [inside]: 'yes' } },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => child.kill('SIGKILL'));
  const [code] = await once(child, 'exit');
  process.exit(code ?? 1);
}
