import { execFile } from 'node:child_process';
import { environment, projectFolder, type RunningProcess, start } from './service-process.ts';

export interface Done {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs `./campaign-mirror …`; `how` may name another path to it, a folder to call it from, or its standard input. */
export function command(
  args: readonly string[],
  settings: Record<string, string>,
  how: { launcher?: string; cwd?: string; input?: string } = {},
): Promise<Done> {
  const { launcher = `${projectFolder}campaign-mirror`, cwd = projectFolder, input = '' } = how;
  return new Promise((resolve) => {
    const options = { cwd, env: environment(settings), maxBuffer: 2 ** 30 };
    const child = execFile(launcher, args, options, (error, output, errors) => {
      resolve({ code: error ? Number(error.code) : 0, output, errors });
    });
    child.stdin?.on('error', () => {}).end(input);
  });
}

/** A command that goes on while the test does something else. */
export function startCommand(args: readonly string[], settings: Record<string, string>): RunningProcess {
  return start(`${projectFolder}campaign-mirror`, args, settings);
}
