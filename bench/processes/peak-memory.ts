import { readFileSync, writeFileSync } from 'node:fs';

/** Imported by a process that is measured: when it ends, it writes its greatest resident memory, in kilobytes. */
process.on('exit', () => {
  if (process.env.PEAK_MEMORY_FILE) writeFileSync(process.env.PEAK_MEMORY_FILE, String(peak()));
});

/** Linux's own figure, since that of the process counts what its parent had when it began. */
function peak(): number {
  try {
    return Number(/^VmHWM:\s*([0-9]+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
