import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { SingleBar } from 'cli-progress';
import type { Call } from './call.ts';
import { ClearError, reasonOf } from './errors.ts';

export type Progress = Pick<SingleBar, 'update' | 'stop'>;

/** A progress bar on standard error, if that is a terminal and the total is known; otherwise nothing is shown. */
export function progress({ stderr }: Call, what: string, total: number | undefined): Progress {
  const bar = new SingleBar({
    format: `${what} {bar} {percentage} % | {value} of {total} | {eta} s left`,
    stream: stderr,
    hideCursor: true,
    clearOnComplete: true,
    etaBuffer: 50,
  });
  // A bar that is not started shows nothing, and one that is not on a terminal does not start.
  if (total !== undefined) bar.start(total, 0);
  return bar;
}

export type InputFile = Awaited<ReturnType<typeof inputFile>>;

/**
 * The file at a path, or standard input for `-`, which a command reads once: its name without folders, and its size in
 * bytes; of a pipe, its path, and no size. @throws ClearError when there is no such file
 */
export async function inputFile(path: string, stdin: Readable) {
  if (path === '-') return { name: 'standard input', size: undefined, open: () => stdin };
  const stats = await stat(path).catch((error) => Promise.reject(unreadable(path, error)));
  const [name, size] = stats.isFile() ? [basename(path), stats.size] : [path, undefined];
  return { name, size, open: () => createReadStream(path) };
}

/**
 * The bytes of a file, with a progress bar. Ends when the command is stopped.
 * @throws ClearError when the file cannot be read; Interrupted
 */
export async function* readWithProgress(call: Call, what: string, file: InputFile): AsyncGenerator<Buffer> {
  const { signal } = call.interruption;
  const bar = progress(call, what, file.size);
  let bytes = 0;
  try {
    for await (const chunk of addAbortSignal(signal, file.open())) {
      yield chunk;
      bytes += chunk.length;
      bar.update(bytes);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : unreadable(file.name, error as Error);
  } finally {
    bar.stop();
  }
}

function unreadable(path: string, error: NodeJS.ErrnoException): ClearError {
  return new ClearError(`${path} cannot be read: ${reasonOf(error)}`);
}
