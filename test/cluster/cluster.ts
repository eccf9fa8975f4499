// `npm test -- --suite cluster [--fault NAME]…`: callers, operators and redirectors work on two services and a PostgreSQL
// cluster that fails over; then their history is checked. The exit code is 1 if a rule was broken, or a visitor missed the
// last change or saw an older address. Times are printed, not judged.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { violationsOf } from '../history/check.ts';
import { report } from '../history/violations.ts';
import type { Recorder } from '../history/workload/recorder.ts';
import { recorded } from '../history/workload/run.ts';
import { seed } from '../support/seed.ts';
import { faults } from './faults.ts';
import { program } from './machine.ts';
import { openStage } from './stage.ts';
import { openVisitors } from './visitors.ts';

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

/** For each fault, the longest time in which no caller got a 200. */
const outages: { name: string; outage: number }[] = [];
const { store, base } = stage;
const visited = await openVisitors(stage);
let seen = { lines: [] as string[], faults: [] as string[] };
const all = await recorded({ store, base, seed, callers }, async (recorder) => {
  await recorder.updates(around);
  for (const name of options.fault) {
    const begin = performance.now();
    const undo = await faults[name]?.(stage, recorder);
    const done = performance.now();
    const { end } = await recorder.next((call) => call.status === 200 && call.begin > done);
    outages.push({ name, outage: outageBetween(recorder, begin, end) });
    await undo?.();
    await stage.patroni.whole();
    await recorder.updates(around);
  }
  seen = await visited.stop();
});
// The campaign of the visitors is changed outside of the recorded work.
const ofOthers = ({ campaign }: { readonly campaign: number }) => campaign !== visited.campaign;
const record = { ...all, history: all.history.filter(ofOthers), mirrors: all.mirrors.filter(ofOthers) };
const violations = violationsOf(record);
console.log(`SEED=${seed}`);
report(record, violations);
for (const { name, outage } of outages) console.log(`  ${name}: ${outage.toFixed()} ms without a 200`);
for (const line of [...seen.lines, ...seen.faults]) console.log(`  ${line}`);
if (violations.length > 0 || seen.faults.length > 0) process.exitCode = 1;
process.exit();

/** The longest time without a 200 between two times, in milliseconds. */
function outageBetween({ calls }: Recorder, begin: number, end: number): number {
  const ended = calls.filter((call) => call.end >= begin && call.end <= end);
  const good = ended.filter(({ status }) => status === 200).map((call) => call.end);
  const times = [begin, ...good.sort((one, other) => one - other), end];
  return Math.max(...times.map((time, at) => time - (times[at - 1] ?? time)));
}

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
