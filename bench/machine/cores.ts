import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, totalmem } from 'node:os';

/** The first core is for the service alone, the second for PostgreSQL, the load generator and us. */
export const serviceCore = '0';
const restCore = '1';

/** Puts this process, and with it whatever it starts from now on, on the second core. False if that is not possible. */
export function divideCores(): boolean {
  // Once: afterwards, this process sees one core.
  isDivided ??=
    availableParallelism() >= 2 &&
    spawnSync('taskset', ['-a', '-c', '-p', restCore, String(process.pid)]).status === 0;
  return isDivided;
}

let isDivided: boolean | undefined;

/** What the figures are measured on. */
export function machine(isDivided: boolean): string {
  const places = isDivided
    ? 'the service on a core of its own; PostgreSQL and the load generator on another'
    : 'no process is kept to a core of its own';
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${memory} GB, Node ${process.version}\n${places}`;
}
