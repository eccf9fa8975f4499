import { type Options, SingleBar } from 'cli-progress';

const format: Options = {
  format: '{what} {bar} {percentage} % | {value} of {total} | {rate} a second | {left} left',
  stream: process.stderr,
  hideCursor: true,
  clearOnComplete: true,
  etaBuffer: 50,
};

export interface Progress {
  /** So many are done, of the total. */
  at(done: number): void;
  stop(): void;
}

/** A bar on standard error, where that is a terminal; else nothing. */
export function progress(what: string, total: number): Progress {
  if (!process.stderr.isTTY) return { at: () => {}, stop: () => {} };
  const bar = new SingleBar(format);
  const begun = performance.now();
  const fieldsAt = (done: number) => {
    const seconds = (performance.now() - begun) / 1000;
    const rate = seconds > 0 ? done / seconds : 0;
    return { what, rate: Math.round(rate), left: rate > 0 ? duration((total - done) / rate) : '?' };
  };
  bar.start(total, 0, fieldsAt(0));
  return {
    at: (done) => bar.update(done, fieldsAt(done)),
    stop: () => bar.stop(),
  };
}

function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
