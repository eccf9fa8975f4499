import { Option } from '@commander-js/extra-typings';
import { countsTable } from './decisions/counts.ts';
import { logOutputTable } from './decisions/log-output.ts';
import { commandLine, wholeNumber } from './processes/command-line.ts';
import { machine } from './processes/machine.ts';
import { run } from './processes/run.ts';

const tables = { 'log-output': logOutputTable, counts: countsTable };

const { only, rounds } = commandLine(
  'bench:decisions',
  'Measures ours beside the libraries that docs/decisions/ decided against.',
)
  .addOption(new Option('--only <WHAT>', 'measures one of them').choices(['log-output', 'counts'] as const))
  .option('--rounds <N>', 'how often each is measured, in turn', wholeNumber(1, 100), 3)
  .parse()
  .opts();

await run(async (cleanup) => {
  console.log(`${machine('without a database')}; median (least to greatest) of ${rounds} rounds`);
  for (const what of only ? [only] : (['log-output', 'counts'] as const))
    console.log(`\n${await tables[what](rounds, cleanup)}`);
  return [];
});
