// `npm test -- --suite history`: see its --help. Ends with 1 if a rule was broken.
import { setTimeout as pause } from 'node:timers/promises';
import { Command, Option } from '@commander-js/extra-typings';
import { seed } from '../support/seed.ts';
import { type Fault, faults } from './faults/faults.ts';
import { underFault } from './faults/under-fault.ts';
import { report } from './violations.ts';

const command = new Command('npm test -- --suite history')
  .description(
    'Lets callers, operators and a redirector work on few campaigns, and checks the history that they leave. ' +
      'SEED=… in the environment makes the same choices again.',
  )
  .option('--seconds <N>', 'how long they work, where there is no fault', Number, 20)
  .option('--processes <N>', 'processes that serve', Number, 1)
  .addOption(
    new Option('--fault <NAME...>', 'what happens meanwhile, one run for each').choices([
      'all',
      ...Object.keys(faults),
    ]),
  );
const { seconds, processes, fault = ['none'] } = command.parse().opts();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
const all: Readonly<Record<string, Fault>> = faults;
for (const name of fault.includes('all') ? Object.keys(all) : fault) {
  const { record, violations, recovery, memory } = await underFault(
    all[name] ?? (() => pause(seconds * 1000)),
    seed,
    processes,
  );
  console.log(`${name} (SEED=${seed}): the first 200 came ${recovery.toFixed()} ms after its end`);
  console.log(`  ${memory.toFixed(2)} times the memory of before`);
  report(record, violations);
  if (violations.length > 0) process.exitCode = 1;
}
process.exit();
