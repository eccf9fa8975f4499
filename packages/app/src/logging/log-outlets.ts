import { write, writeSync } from 'node:fs';
import type { Outlet } from './log-output.ts';

const standardOutput = 1;

/** Standard output, whatever it is: a terminal, a pipe, a socket, a file. */
export function standardOutlet(): Outlet {
  const { stdout } = process;
  // What is refused is told to those who wrote it.
  stdout.on('error', () => {});
  if (!('_handle' in stdout)) return fileOutlet(standardOutput);
  // A pipe and a socket do not block; Node lets a terminal do so, which Ctrl-S would halt us by.
  (stdout as { _handle?: { setBlocking?(on: boolean): void } })._handle?.setBlocking?.(false);
  return {
    write: (bytes, done) => void stdout.write(bytes, (error) => done(error)),
    writeLast: (bytes) => void stdout.write(bytes),
  };
}

/** A file, or what behaves as one: its disk may be slow, or full in the midst of a line. */
export function fileOutlet(file: number): Outlet {
  const writeOn: Outlet['write'] = (bytes, done) => {
    write(file, bytes, (error, written) => {
      if (error) done(error, bytes);
      else if (written < bytes.length) writeOn(bytes.subarray(written), done);
      else done();
    });
  };
  const writeLast = (bytes: Buffer) => {
    try {
      writeSync(file, bytes);
    } catch {
      // There is nobody left to be told.
    }
  };
  return { write: writeOn, writeLast };
}
