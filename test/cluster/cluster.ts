// `npm test -- --suite cluster [--fault NAME]…`: callers and operators work on two services and a
// PostgreSQL cluster that fails over; then their history is checked. Ends with 1 if a rule was broken.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { violationsOf } from '../history/check.ts';
import { report } from '../history/violations.ts';
import { recorded } from '../history/workload/run.ts';
import { seed } from '../support/seed.ts';
import { faults } from './faults.ts';
import { program } from './machine.ts';
import { openStage } from './stage.ts';

/** The number of updates before and after each fault. */
const around = 100;
/** Few, because two processors carry the whole cluster. */
const callers = 6;

const { values: options } = parseArgs({
  options: { fault: { type: 'string', multiple: true, default: Object.keys(faults) } },
});

const inside = 'CAMPAIGN_MIRROR_CLUSTER';
if (process.env[inside] === undefined) await runIsolated();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const unknown = options.fault.filter((name) => !faults[name]);
if (unknown.length > 0) throw new Error(`there is no fault ${unknown}: ${Object.keys(faults).join(', ')}`);
const stage = await openStage();

const { store, base } = stage;
const record = await recorded({ store, base, seed, callers }, async (recorder) => {
  await recorder.updates(around);
  for (const name of options.fault) {
    const undo = await faults[name]?.(stage, recorder);
    const done = performance.now();
    await recorder.next((call) => call.status === 200 && call.begin > done);
    console.log(`  ${name}: served again`);
    await undo?.();
    await stage.patroni.whole();
    await recorder.updates(around);
  }
});
const violations = violationsOf(record);
console.log(`SEED=${seed}`);
report(record, violations);
process.exit(violations.length > 0 ? 1 : 0);

/** Runs this script again in new namespaces. The kernel ends their processes and mounts with their first process. */
async function runIsolated(): Promise<never> {
  if (process.getuid?.() !== 0) throw new Error('only root can make the namespaces of the cluster');
  const child = spawn(
    program('setpriv'),
    [
      ...['--pdeathsig', 'KILL', program('unshare')],
      ...['--net', '--mount', '--ipc', '--pid', '--fork', '--kill-child', '--mount-proc'],
      // A shell as the first process reaps orphans, such as PostgreSQL's processes after the end of Patroni.
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
