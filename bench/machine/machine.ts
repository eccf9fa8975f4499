import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

/** What ends or removes the parts of a run, in any case: the last part first. */
export type Cleanup = (() => unknown)[];

export async function cleanUp(cleanup: Cleanup): Promise<void> {
  for (let step = cleanup.pop(); step; step = cleanup.pop()) await step();
}

/** A new folder that is removed at the end. */
export async function temporaryFolder(cleanup: Cleanup): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-bench-'));
  cleanup.push(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** Runs until the end or the first Ctrl-C, cleans up, prints the faults, and exits: with 0 without a fault. */
export async function run(measure: (cleanup: Cleanup) => Promise<readonly string[]>): Promise<never> {
  const cleanup: Cleanup = [];
  const { promise: interrupted, resolve } = Promise.withResolvers<number>();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => resolve(130));
  const running = measure(cleanup)
    .catch((error: unknown) => [error])
    .then((faults) => {
      for (const fault of faults) console.error('wrong:', fault);
      return faults.length === 0 ? 0 : 1;
    });
  const code = await Promise.race([running, interrupted]);
  await cleanUp(cleanup);
  process.exit(code);
}

/** The first core is for the service alone, the second for all other processes. */
export const serviceCore = '0';
let isDivided: boolean | undefined;

/** Moves this process, and all that it starts later, to the second core. False if that is impossible. */
export function divideCores(): boolean {
  // Once: afterwards, this process sees one core.
  isDivided ??=
    availableParallelism() >= 2 &&
    spawnSync('taskset', ['-a', '-c', '-p', '1', String(process.pid)]).status === 0;
  return isDivided;
}

/** The machine, for the report. */
export function machine(isDivided: boolean): string {
  const places = isDivided
    ? 'the service on a core of its own; PostgreSQL and the load generator on another'
    : 'no process has a core of its own';
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${memory} GB, Node ${process.version}\n${places}`;
}

/** Linux counts CPU time in units of 10,000 microseconds. */
const tick = 10_000;

/** The CPU times, in microseconds; see proc(5). The name of a process, in parentheses, may contain anything. */
function timesOf(processId: number | string) {
  try {
    const line = readFileSync(`/proc/${processId}/stat`, 'latin1');
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const field = (number: number) => Number(fields[number - 3]);
    return { parent: field(4), own: (field(14) + field(15)) * tick, ofEnded: (field(16) + field(17)) * tick };
  } catch {
    return undefined;
  }
}

/** The CPU time of a process and its children, ended ones included, in microseconds; NaN except on Linux. */
export function cpuOfFamily(processId: number): number {
  const top = timesOf(processId);
  if (top === undefined) return Number.NaN;
  const all = readdirSync('/proc').map((name) => (/^[0-9]+$/.test(name) ? timesOf(name) : undefined));
  const children = all.filter((times) => times?.parent === processId);
  return children.reduce((sum, times) => sum + (times?.own ?? 0), top.own + top.ofEnded);
}

/** Resident memory in MB. */
export function memoryOf(processId: number): number {
  const status = readFileSync(`/proc/${processId}/status`, 'latin1');
  return Number(/^VmRSS:\s*([0-9]+)/m.exec(status)?.[1]) / 1024;
}
