import { spawn } from 'node:child_process';
import { endedByTests, environment, projectFolder } from './service-process.ts';

/** Runs a program in a pseudo-terminal, by `script` of util-linux. */
export function inTerminal(program: readonly string[], settings: Record<string, string>) {
  const words = program.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  // Wide, because tests search for whole lines.
  const script = ['-qec', `stty cols 1000; exec ${words}`, '/dev/null'];
  const env = { ...environment(settings), TERM: 'xterm' };
  const child = spawn('script', script, { cwd: projectFolder, env });
  return Object.assign(endedByTests(child), { type: (text: string) => child.stdin.write(text) });
}
