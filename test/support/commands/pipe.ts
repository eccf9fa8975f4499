import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { environment, projectFolder, untilTheEnd } from '../process/service-process.ts';
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
  const script = `{ "$@"; echo "$?" >&3; } | ${reader}`;
  const words = ['-c', script, 'sh', `${projectFolder}campaign-mirror`, ...args];
  const env = environment(settings);
  const child = spawn('sh', words, { env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  untilTheEnd(child);
  const [output, errors, code] = await Promise.all(
    child.stdio.slice(1).map((stream) => text(stream as Readable)),
  );
  return { code: Number(code), output: output ?? '', errors: errors ?? '' };
}
