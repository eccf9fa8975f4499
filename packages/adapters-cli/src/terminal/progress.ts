import { type Options, SingleBar } from 'cli-progress';
import type { Call } from './call.ts';

const format: Options = {
  format: '{what} {bar} {percentage} % | {value} of {total} | {rate} a second | {left} left',
  hideCursor: true,
  clearOnComplete: true,
  etaBuffer: 50,
};

/** A progress bar, or nothing where none is shown. */
export interface Progress {
  /** Reports how many of the total are done. */
  at(done: number): void;
  /** Clears the bar for another line on the terminal; the next step draws it again. */
  aside(): void;
  /** Removes the bar. */
  stop(): void;
}

/** A progress bar on standard error if that is a terminal and the total is known; otherwise nothing. */
export function progress({ stderr }: Call, what: string, total: number | undefined): Progress {
  if (total === undefined || !stderr.isTTY) return { at: () => {}, aside: () => {}, stop: () => {} };
  const bar = new SingleBar({ ...format, stream: stderr });
  const begun = performance.now();
  const fieldsAt = (done: number) => {
    const seconds = (performance.now() - begun) / 1000;
    const rate = seconds > 0 ? done / seconds : 0;
    return { what, rate: Math.round(rate), left: rate > 0 ? duration((total - done) / rate) : '?' };
  };
  bar.start(total, 0, fieldsAt(0));
  let isAside = false;
  return {
    at: (done) => {
      if (isAside) bar.start(total, done, fieldsAt(done));
      else bar.update(done, fieldsAt(done));
      isAside = false;
    },
    aside: () => {
      bar.stop();
      isAside = true;
    },
    stop: () => bar.stop(),
  };
}

function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
