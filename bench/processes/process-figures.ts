import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time for user space in hundredths of a second. */
const tick = 10_000;

interface Times {
  readonly name: string;
  readonly parent: number;
  /** Microseconds. */
  readonly own: number;
  /** Of its children that have ended. */
  readonly ofEnded: number;
}

/** See proc(5). The name, in parentheses, may hold anything. */
function timesOf(processId: number): Times | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${processId}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  const name = line.slice(line.indexOf('(') + 1, line.lastIndexOf(')'));
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return {
    name,
    parent: field(4),
    own: (field(14) + field(15)) * tick,
    ofEnded: (field(16) + field(17)) * tick,
  };
}

/**
 * The CPU time, user and system, of a process with its threads, of those that it has started, and of those of them that
 * have ended, in microseconds; undefined but on Linux.
 */
export function cpuOfFamily(processId: number): number | undefined {
  const top = timesOf(processId);
  if (top === undefined) return undefined;
  const living = childrenOf(processId).map((child) => timesOf(child)?.own ?? 0);
  // One that ended meanwhile was met in neither place.
  if (timesOf(processId)?.ofEnded !== top.ofEnded) return cpuOfFamily(processId);
  return living.reduce((sum, own) => sum + own, top.own + top.ofEnded);
}

function childrenOf(processId: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name));
  return all.map(Number).filter((one) => timesOf(one)?.parent === processId);
}

/** The CPU time of the processes that this one has started and that have ended, in microseconds; the same. */
export function cpuOfEndedChildren(): number | undefined {
  return timesOf(process.pid)?.ofEnded;
}

/** The postmaster of a backend, provided that it runs on this machine: its number alone proves nothing. */
export function postmasterOf(backend: number, itsClientPort: number): number | undefined {
  const times = timesOf(backend);
  if (times?.name !== 'postgres') return undefined;
  const title = readFileSync(`/proc/${backend}/cmdline`, 'latin1');
  return title.includes(`(${itsClientPort})`) ? times.parent : undefined;
}

/** Resident memory, or the most that it was, in MB; undefined but on Linux. */
export function memoryOf(processId: number, which: 'VmRSS' | 'VmHWM' = 'VmRSS'): number | undefined {
  try {
    const status = readFileSync(`/proc/${processId}/status`, 'latin1');
    const kilobytes = new RegExp(`^${which}:\\s*([0-9]+)`, 'm').exec(status)?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}

/** The same of a process and those that it has started. What they share is counted for each. */
export function memoryOfFamily(processId: number): number | undefined {
  const own = memoryOf(processId);
  if (own === undefined) return undefined;
  return childrenOf(processId).reduce((sum, child) => sum + (memoryOf(child) ?? 0), own);
}
