import { once } from 'node:events';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import type { Registry } from 'prom-client';
import { type Log, type LogWriter, throttled } from '../logging/log-events.ts';
import type { Settings } from '../settings/settings.ts';
import type { Version } from './project.ts';
import { withTimeLimit } from './time-limit.ts';

/** How long the end of a part may take unless it needs longer, in milliseconds. */
export const usualTimeout = 3_000;

/** The life of a process: when it is to end, why, and with which exit code. */
export class Life {
  exitCode = 0;
  readonly #ends = new AbortController();
  readonly #fails = new AbortController();
  /** Aborted when the process was asked to end, or failed. */
  readonly ending: AbortSignal = this.#ends.signal;
  /** Aborted when the process cannot continue. */
  readonly failing: AbortSignal = this.#fails.signal;
  readonly #log: Log;
  readonly #logFault: LogWriter['fatal'];
  readonly #parts: { readonly name: string; readonly end: () => unknown; readonly timeout: number }[] = [];

  constructor(log: Log) {
    this.#log = log;
    // One that repeats must not fill the log.
    this.#logFault = throttled(log, 'fatal');
  }

  end(signal: NodeJS.Signals): void {
    if (this.ending.aborted) return;
    this.#log.info({ event: 'stopping', signal }, `stopping on ${signal}`);
    this.#ends.abort();
  }

  /** Ends the process in order, with exit code 1. */
  fail(error: unknown, what: string): void {
    this.exitCode = 1;
    this.#fails.abort();
    this.#ends.abort();
    this.#logFault({ event: 'failed', err: error }, what);
  }

  /** Prints a fault that a user can fix in one line, on standard error; logs any other. */
  failToStart(error: unknown): void {
    this.exitCode = 1;
    if (error instanceof ClearError) console.error(error.message);
    else this.#log.fatal({ event: 'start-failed', err: error }, 'the service could not start');
    this.#ends.abort();
  }

  /** Registers how to end a part that was made. `timeout`, in milliseconds, is above its own time limits. */
  atEnd(name: string, end: () => unknown, timeout = usualTimeout): void {
    this.#parts.push({ name, end, timeout });
  }

  /** Ends the parts one after the other, the last made first. A part that hangs is logged and skipped. Never rejects. */
  async endParts(): Promise<void> {
    for (const { name, end, timeout } of this.#parts.toReversed()) {
      try {
        const ended = (async () => end())().then(() => true);
        if (await withTimeLimit(timeout, ended)) continue;
        this.reportHung(name, `${name} did not end within ${timeout} ms`, { milliseconds: timeout });
      } catch (error) {
        this.exitCode = 1;
        this.#log.error({ event: 'stop-failed', part: name, err: error }, `${name} could not be stopped`);
      }
    }
  }

  /** Logs that a part of the process did not end in time. */
  reportHung(part: string, line: string, details: object = {}): void {
    this.exitCode = 1;
    this.#log.error({ event: 'hung', part, ...details }, line);
  }
}

/** Resolves when the signal is aborted, at once if it already is. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** What every part of the service is made from. */
export interface ServiceInput {
  readonly settings: Settings;
  readonly version: Version;
  readonly log: Log;
  /** Writes other text between the lines of the log. */
  readonly print: (text: string) => void;
  readonly registry: Registry;
  readonly life: Life;
}
