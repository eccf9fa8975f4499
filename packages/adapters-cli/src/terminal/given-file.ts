import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import type { Call } from './call.ts';
import { ClearError } from './clear-error.ts';
import { progress } from './progress.ts';

/** A file that is read once, from beginning to end. */
export interface GivenFile {
  /** Its name without folders, for the audit. */
  readonly name: string;
  /** In bytes; undefined if unknown in advance, as for a pipe. */
  readonly size: number | undefined;
  /** Reads until `signal`. `passed` receives the number of bytes so far. @throws ClearError when it cannot be read */
  read(signal: AbortSignal, passed: (bytes: number) => void): AsyncIterable<Buffer>;
}

/** A file, or standard input for `-`. @throws ClearError when there is no such file */
export async function givenFile(path: string, stdin: Readable): Promise<GivenFile> {
  if (path === '-') {
    return { name: 'standard input', size: undefined, read: (...how) => chunks(stdin, path, ...how) };
  }
  const stats = await stat(path).catch((error) => Promise.reject(unreadable(path, error)));
  if (stats.isDirectory()) throw new ClearError(`${path} is a folder, not a file`);
  return {
    name: basename(path),
    size: stats.isFile() ? stats.size : undefined,
    read: (...how) => chunks(createReadStream(path), path, ...how),
  };
}

/** Its bytes, with a progress bar. */
export async function* readShown(call: Call, what: string, file: GivenFile): AsyncGenerator<Buffer> {
  const bar = progress(call, what, file.size);
  try {
    yield* file.read(call.interruption.signal, bar.at);
  } finally {
    bar.stop();
  }
}

async function* chunks(
  stream: Readable,
  path: string,
  signal: AbortSignal,
  passed: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const chunk of addAbortSignal(signal, stream)) {
      yield chunk;
      bytes += chunk.length;
      passed(bytes);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): ClearError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new ClearError(`${path === '-' ? 'standard input' : path} cannot be read (${code ?? message})`);
}
