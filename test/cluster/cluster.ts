// `npm test -- --suite cluster`: see its --help. Ends with 1 where a rule was broken, or it served again too late.
import { writeFileSync } from 'node:fs';
import { Command, Option } from '@commander-js/extra-typings';
import { seed } from '../support/seed.ts';
import { type Fault, faults } from './faults.ts';
import { openNetwork } from './machine.ts';
import { isIsolated, runIsolated } from './namespaces.ts';
import { report } from './report.ts';
import { Stage } from './stage.ts';
import { underFaults } from './under-faults.ts';

/** In milliseconds: the bar for how soon it serves again. */
const soon = 10_000;

const all: Readonly<Record<string, Fault>> = faults;

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

if (!isIsolated) await runIsolated();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const isSynchronous = !options.asynchronous;
const names = options.fault ?? (isSynchronous ? Object.keys(faults) : ['standbys-stalled']);
openNetwork();
const begin = performance.now();
const stage = await Stage.open({ isSynchronous });
console.log(`up after ${((performance.now() - begin) / 1000).toFixed(1)} s`);
const run = await underFaults(
  stage,
  Object.fromEntries(names.map((name) => [name, all[name] as Fault])),
  seed,
);
if (options.logs) {
  stage.keepLogs(options.logs);
  writeFileSync(`${options.logs}/record.json`, JSON.stringify(run.record));
}
console.log(report(seed, run));
const isLost = run.violations.some(({ rule }) => rule === 'one-row');
const isLate = run.felt.some(({ outage }) => outage > soon);
if (isSynchronous ? run.violations.length > 0 || isLate : !isLost) process.exitCode = 1;
process.exit();
