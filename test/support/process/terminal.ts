import { spawn } from 'node:child_process';
import { environment, projectFolder, RunningProcess, untilTheEnd } from './service-process.ts';

/** A program in a pseudo-terminal. */
export class Terminal extends RunningProcess {
  type(text: string): void {
    this.child.stdin?.write(text);
  }

  interrupt(): void {
    this.type('\u0003');
  }
}

export const terminal = (args: readonly string[], settings: Record<string, string>) =>
  inTerminal([`${projectFolder}campaign-mirror`, ...args], settings);

/** Runs a program in a pseudo-terminal, by `script` of util-linux. */
export function inTerminal(program: readonly string[], settings: Record<string, string>): Terminal {
  const words = program.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  // Wide, because tests search for whole lines.
  const script = ['-qec', `stty cols 1000; exec ${words}`, '/dev/null'];
  const env = { ...environment(settings), TERM: 'xterm' };
  const child = spawn('script', script, { cwd: projectFolder, env });
  untilTheEnd(child);
  return new Terminal(child);
}
