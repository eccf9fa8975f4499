// `npm test -- --suite history [--seconds N] [--processes N] [--fault NAME]…`: lets callers, operators and a redirector
// work on few campaigns, and checks the history that they leave. Ends with 1 where a rule was broken.
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seed } from '../support/seed.ts';
import { type Fault, faults } from './faults/faults.ts';
import { underFault } from './faults/under-fault.ts';
import { report } from './report.ts';

/** In milliseconds: the bar for how soon it serves again. */
const soon = 2_000;

const { values } = parseArgs({
  options: {
    /** How long they work, where there is no fault. */
    seconds: { type: 'string', default: '20' },
    processes: { type: 'string', default: '1' },
    /** What happens meanwhile, one run for each. */
    fault: { type: 'string', multiple: true, default: ['none'] },
  },
});
const known: Readonly<Record<string, Fault>> = {
  ...faults,
  none: { does: 'no fault', run: () => pause(Number(values.seconds) * 1000) },
};
const chosen = values.fault.includes('all') ? Object.keys(faults) : values.fault;
const unknown = chosen.filter((name) => !known[name]);
if (unknown.length > 0)
  throw new Error(`there is no fault ${unknown}: all, ${Object.keys(known).join(', ')}`);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
for (const name of chosen) {
  const fault = known[name] as Fault;
  console.log(`${name}: ${fault.does} (SEED=${seed})`);
  const run = await underFault(fault, { seed, processes: Number(values.processes) });
  report(run.record, run.violations);
  console.log(`  the first 200 came ${run.recovery.toFixed()} ms after the end of the fault`);
  if (run.memory) console.log(`  it holds ${run.memory.toFixed(2)} times what it held before`);
  if (run.violations.length > 0 || run.recovery > soon) process.exitCode = 1;
}
process.exit();
