import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import type { Call } from './call.ts';
import { ClearError, reasonOf } from './errors.ts';
import { progress } from './progress.ts';

/** A file that is read once, from beginning to end. */
export interface GivenFile {
  /** Its path, for messages. */
  readonly path: string;
  /** Its name without folders, for the audit. */
  readonly name: string;
  /** In bytes; undefined if unknown in advance, as for a pipe. */
  readonly size: number | undefined;
  /** Its bytes, from the first. */
  open(): Readable;
}

/** A file, or standard input for `-`. @throws ClearError when there is no such file */
export async function givenFile(path: string, stdin: Readable): Promise<GivenFile> {
  const name = 'standard input';
  if (path === '-') return { path: name, name, size: undefined, open: () => stdin };
  const stats = await stat(path).catch((error) => Promise.reject(unreadable(path, error)));
  if (stats.isDirectory()) throw new ClearError(`${path} is a folder, not a file`);
  const size = stats.isFile() ? stats.size : undefined;
  return { path, name: basename(path), size, open: () => createReadStream(path) };
}

/** Its bytes, with a progress bar, until the command is asked to stop. @throws ClearError when it cannot be read */
export async function* readShown(call: Call, what: string, file: GivenFile): AsyncGenerator<Buffer> {
  const { signal } = call.interruption;
  const bar = progress(call, what, file.size);
  let bytes = 0;
  try {
    for await (const chunk of addAbortSignal(signal, file.open())) {
      yield chunk;
      bytes += chunk.length;
      bar.at(bytes);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : unreadable(file.path, error);
  } finally {
    bar.stop();
  }
}

function unreadable(path: string, error: unknown): ClearError {
  return new ClearError(`${path} cannot be read: ${reasonOf(error)}`);
}
