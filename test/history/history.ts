// `npm test -- --suite history [FAULT]…`: callers and operators work on few campaigns during each fault, then the
// history is checked. SEED=… in the environment repeats the choices. Ends with 1 if a rule was broken.
import { seed } from '../support/seed.ts';
import { faults } from './faults/faults.ts';
import { underFault } from './faults/under-fault.ts';
import { report } from './violations.ts';

const chosen = process.argv.slice(2);
const isFault = (name: string): name is keyof typeof faults => name in faults;
const unknown = chosen.filter((name) => !isFault(name));
if (unknown.length > 0) throw new Error(`there is no fault ${unknown}: ${Object.keys(faults).join(', ')}`);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
for (const name of Object.keys(faults).filter(isFault)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const { record, violations, recovery } = await underFault(name);
  console.log(`${name} (SEED=${seed}): the first 200 came ${recovery.toFixed()} ms after its end`);
  report(record, violations);
  if (violations.length > 0) process.exitCode = 1;
}
process.exit();
