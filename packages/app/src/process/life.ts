import { ClearError } from '@campaign-mirror/adapters-cli/terminal/clear-error';
import type { Log } from '../logging/log.ts';

/** Faults that are told of at the end: one that comes again and again is not to fill the log. */
const mostTold = 10;

/** The life of a process: when it is to end, why, and with which exit code. */
export class Life {
  exitCode = 0;
  /** One takes this one's place: whoever is connected may ask once more, and finds the other one next. */
  isRelieved = false;
  /** Something asked it to end, or it failed. */
  readonly ending: AbortSignal;
  /** It may not go on at all. */
  readonly failing: AbortSignal;
  readonly #log: Log;
  readonly #tell: (line: string) => void;
  readonly #ends = new AbortController();
  readonly #fails = new AbortController();
  #faults = 0;

  /** `tell` takes the line of a start that failed by a fault which a user can fix. */
  constructor(log: Log, tell: (line: string) => void = console.error) {
    this.#log = log;
    this.#tell = tell;
    this.ending = this.#ends.signal;
    this.failing = this.#fails.signal;
  }

  /** `why`: a signal, or what else it is. */
  end(why: string): void {
    if (this.ending.aborted) return;
    const signal = why.startsWith('SIG') && { signal: why };
    this.#log.info({ event: 'stopping', ...signal }, `stopping on ${why}`);
    this.#ends.abort();
  }

  /** Ends the process, in order, with exit code 1. Never throws: it is called where nobody catches. */
  fail(error: unknown, what: string): void {
    this.exitCode = 1;
    this.#faults += 1;
    try {
      if (this.#faults <= mostTold) this.#log.fatal({ event: 'failed', err: error }, what);
    } finally {
      this.#fails.abort();
      this.#ends.abort();
    }
  }

  failToStart(error: unknown): void {
    this.exitCode = 1;
    if (error instanceof ClearError) this.#tell(error.message);
    else this.#log.fatal({ event: 'start-failed', err: error }, 'the service could not start');
    this.#ends.abort();
  }

  /** At the end a part of the process did not come to its own. */
  hung(part: string, line: string, particulars: object = {}): void {
    this.exitCode = 1;
    this.#log.error({ event: 'hung', part, ...particulars }, line);
  }
}

/** Resolves when it is so, at once where it already is. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
