import { readdir, readFile } from 'node:fs/promises';
import { codeOf } from './errors.ts';
import { run } from './program.ts';

/** Whether a process with this number exists, also of another user. */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** The command line of a process, its arguments separated by blanks; empty if there is none (a zombie has none). */
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
