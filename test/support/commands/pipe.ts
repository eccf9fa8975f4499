import { projectFolder, start } from '../process/service-process.ts';
import type { Done } from './command.ts';

/**
 * Runs `./campaign-mirror … | reader` in a shell: the output is the reader's, the exit code and what is on standard
 * error the command's.
 */
export async function piped(
  args: readonly string[],
  reader: string,
  settings: Readonly<Record<string, string>>,
): Promise<Done> {
  const script = `{ "$@"; echo "$?" >&2; } | ${reader}`;
  const running = start('sh', ['-c', script, 'sh', `${projectFolder}campaign-mirror`, ...args], settings);
  await running.ended;
  const [, errors = '', code] = /^(.*?)(\d+)\n$/s.exec(running.errors) ?? [];
  return { code: Number(code), output: running.output, errors };
}
