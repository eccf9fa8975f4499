import { execFile } from 'node:child_process';
import { environment, projectFolder } from './service-process.ts';

export interface Done {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs `./campaign-mirror …`; `how` may name another path to it, or a folder to call it from. */
export function command(
  args: readonly string[],
  settings: Record<string, string>,
  how: { launcher?: string; cwd?: string } = {},
): Promise<Done> {
  const { launcher = `${projectFolder}campaign-mirror`, cwd = projectFolder } = how;
  return new Promise((resolve) => {
    execFile(launcher, args, { cwd, env: environment(settings) }, (error, output, errors) => {
      resolve({ code: error ? Number(error.code) : 0, output, errors });
    });
  });
}
