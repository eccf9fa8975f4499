import { SingleBar } from 'cli-progress';
import type { Call } from './call.ts';

/** A progress bar, or nothing where none is shown. */
export interface Progress {
  /** Reports how many of the total are done. */
  at(done: number): void;
  /** Removes the bar. */
  stop(): void;
}

/** A progress bar on standard error if that is a terminal and the total is known; otherwise nothing. */
export function progress({ stderr }: Call, what: string, total: number | undefined): Progress {
  const bar = new SingleBar({
    format: `${what} {bar} {percentage} % | {value} of {total} | {eta} s left`,
    stream: stderr,
    hideCursor: true,
    clearOnComplete: true,
    etaBuffer: 50,
    // The time left is no number while nothing is done.
    formatValue: (value) => (Number.isFinite(Number(value)) ? String(value) : '?'),
  });
  // One that was not started shows nothing, and one that is not on a terminal does not start.
  if (total !== undefined) bar.start(total, 0);
  return { at: (done) => bar.update(done), stop: () => bar.stop() };
}
