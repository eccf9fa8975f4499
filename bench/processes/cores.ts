import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** One core for the service alone, one for PostgreSQL, the load generator and us. */
export interface Cores {
  readonly service: number;
  readonly rest: number;
}

/**
 * Puts this process, and with it whatever it starts from now on, on the second core that it may use, and leaves the
 * first to the service. Undefined where that cannot be had.
 */
export function divideCores(): Cores | undefined {
  const [service, rest] = allowedCores();
  if (service === undefined || rest === undefined) return undefined;
  return moveTo(rest) ? { service, rest } : undefined;
}

/** Puts this process on a core; what it has started stays where it is. */
export function moveTo(core: number): boolean {
  return spawnSync('taskset', ['-a', '-c', '-p', String(core), String(process.pid)]).status === 0;
}

/** From a list such as `0-3,8`; none but on Linux. */
function allowedCores(): number[] {
  let status: string;
  try {
    status = readFileSync('/proc/self/status', 'utf8');
  } catch {
    return [];
  }
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '';
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
}
