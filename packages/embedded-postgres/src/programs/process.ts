import { readdir, readFile } from 'node:fs/promises';
import { run } from './program.ts';

/** Whether a process of this number exists, be it ours or not. */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A process' command line, its arguments parted by blanks; empty when there is none (or it waits to be reaped). */
export async function commandLine(processId: number, platform: string = process.platform): Promise<string> {
  if (platform === 'linux') {
    const text = await readFile(`/proc/${processId}/cmdline`, 'utf8').catch(() => '');
    return text.replaceAll('\0', ' ').trim();
  }
  return (await run('/bin/ps', ['-ww', '-o', 'command=', '-p', String(processId)])).output.trim();
}

/** The command lines of all processes. */
export async function commandLines(platform: string = process.platform): Promise<string[]> {
  if (platform !== 'linux') return (await run('/bin/ps', ['-axww', '-o', 'command='])).output.split('\n');
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return await Promise.all(numbers.map((number) => commandLine(Number(number))));
}
