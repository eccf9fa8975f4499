import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time for user space in hundredths of a second. */
const tick = 10_000;

/** The CPU times, in microseconds; see proc(5). The process's name, in parentheses, may hold anything. */
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

/** In microseconds, of a process, of those that it has started, and of those of them that have ended; NaN but on Linux. */
export function cpuOfFamily(processId: number): number {
  const top = timesOf(processId);
  if (top === undefined) return Number.NaN;
  const children = readdirSync('/proc').flatMap((name) => {
    const times = /^[0-9]+$/.test(name) ? timesOf(name) : undefined;
    return times !== undefined && times.parent === processId ? [times.own] : [];
  });
  return children.reduce((sum, own) => sum + own, top.own + top.ofEnded);
}

/** Resident memory in MB. */
export function memoryOf(processId: number): number {
  const status = readFileSync(`/proc/${processId}/status`, 'latin1');
  return Number(/^VmRSS:\s*([0-9]+)/m.exec(status)?.[1]) / 1024;
}
