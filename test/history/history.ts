// `npm test -- --suite history`: see its --help. Ends with 1 where a rule was broken.
import { setTimeout as pause } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { seed } from '../support/seed.ts';
import { type Fault, faults } from './faults/faults.ts';
import { underFaults } from './faults/under-fault.ts';
import { countsOf, linesOf, seconds } from './report.ts';

/** In milliseconds: the bar for how soon it serves again. */
const soon = 2_000;

const wholeNumber = (text: string) => {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a whole number from 1 to 9999.');
};

const command = new Command('npm test -- --suite history')
  .description(
    'Lets callers, operators and a redirector work on few campaigns, and checks the history that they leave. ' +
      'SEED=… in the environment makes the same choices again.',
  )
  .option('--seconds <N>', 'how long they work, where there is no fault', wholeNumber, 20)
  .option('--processes <N>', 'processes that serve', wholeNumber, 1)
  .addOption(
    new Option('--fault <NAME...>', 'what happens meanwhile, one run for each').choices([
      'all',
      ...Object.keys(faults),
    ]),
  )
  .option('--together', 'all of them in one run, one after the other')
  .addHelpText(
    'after',
    `\nFaults:\n${Object.entries(faults)
      .map(([name, { does }]) => `  ${name.padEnd(20)} ${does}`)
      .join('\n')}`,
  );
const { seconds: lasting, processes, fault = [], together } = command.parse().opts();

const none: Fault = { does: 'no fault', run: () => pause(lasting * 1000) };
const all: Readonly<Record<string, Fault>> = faults;
const chosen = fault.includes('all') ? Object.keys(faults) : fault;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
const runs = together ? [chosen] : chosen.map((name) => [name]);
for (const names of runs.length > 0 ? runs : [['none']]) {
  const { record, violations, recoveries, memory } = await underFaults(
    names.map((name) => all[name] ?? none),
    { seed, processes },
  );
  const { calls, acts, rewrites, clicks, history } = record;
  const longest = Math.max(...calls.map(({ begin, end }) => end - begin));
  const lines = [
    `${names.join(', ')} (SEED=${seed}): ${countsOf(calls)}`,
    `  ${history.length} rows of history, ${acts.length} acts, ${rewrites.length} moves and restores, ${clicks.length} clicks`,
    `  longest call ${seconds(longest)}; the first 200 came ${recoveries.map(seconds).join(', ')} after the end of the fault`,
    ...(memory ? [`  it holds ${memory.toFixed(2)} times what it held before`] : []),
    ...linesOf(violations),
  ];
  console.log(lines.join('\n'));
  if (violations.length > 0 || !recoveries.every((recovery) => recovery <= soon)) process.exitCode = 1;
}
process.exit();
