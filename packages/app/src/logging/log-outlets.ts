import { write, writeSync } from 'node:fs';
import type { Outlet } from './log-output.ts';

const standardOutput = 1;

/** Standard output: a terminal, a pipe, a socket or a file. */
export function standardOutlet(): Outlet {
  const { stdout } = process;
  // Write errors are reported to the callers.
  stdout.on('error', () => {});
  if (!('_handle' in stdout)) return fileOutlet();
  // A pipe and a socket do not block; Node lets a terminal block, so that Ctrl-S would stop the process.
  (stdout as { _handle?: { setBlocking?(on: boolean): void } })._handle?.setBlocking?.(false);
  return {
    write: (bytes, done) => void stdout.write(bytes, (error) => done(error)),
    writeLast: (bytes) => void stdout.write(bytes),
  };
}

/** Standard output that is a file, or behaves like one: its disk may be slow, or full in the middle of a line. */
function fileOutlet(): Outlet {
  const writeOn: Outlet['write'] = (bytes, done) => {
    write(standardOutput, bytes, (error, written) => {
      if (error) done(error, bytes);
      else if (written < bytes.length) writeOn(bytes.subarray(written), done);
      else done();
    });
  };
  const writeLast = (bytes: Buffer) => {
    try {
      writeSync(standardOutput, bytes);
    } catch {
      // Nobody is left to report it to.
    }
  };
  return { write: writeOn, writeLast };
}
