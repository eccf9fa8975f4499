import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import type { Checks } from '@campaign-mirror/adapters-http/service';
import type { DatabaseState } from '@campaign-mirror/adapters-persistence/service';
import { LRUCache } from 'lru-cache';
import type { Registry } from 'prom-client';
import { type Log, type LogWriter, throttled } from '../logging/log-events.ts';
import type { Settings } from '../settings/settings-table.ts';
import type { Version } from './version.ts';

export interface ServiceInput {
  readonly settings: Settings;
  readonly version: Version;
  readonly log: Log;
  /** Writes text between the lines of the log. */
  readonly print: (text: string) => void;
  readonly registry: Registry;
  readonly life: Life;
}

/** The life of a process: when and why it ends, and its exit code. */
export class Life {
  exitCode = 0;
  readonly #ends = new AbortController();
  /** Aborted when the process receives a stop signal, or fails. */
  readonly ending: AbortSignal = this.#ends.signal;
  readonly #log: Log;
  readonly #logFault: LogWriter['fatal'];
  readonly #parts: { readonly name: string; readonly end: () => unknown; readonly timeout: number }[] = [];

  constructor(log: Log) {
    this.#log = log;
    // A repeated fault must not fill the log.
    this.#logFault = throttled(log, 'fatal');
  }

  end(signal: NodeJS.Signals): void {
    if (this.ending.aborted) return;
    this.#log.info({ event: 'stopping', signal }, `stopping on ${signal}`);
    this.#ends.abort();
  }

  /** Ends the process in order after a failure, with exit code 1. */
  fail(error: unknown, what: string): void {
    this.exitCode = 1;
    this.#ends.abort();
    this.#logFault({ event: 'failed', err: error }, what);
  }

  /** Prints a fault that a user can fix as one line on standard error; logs any other fault. */
  failToStart(error: unknown): void {
    this.exitCode = 1;
    if (error instanceof ClearError) console.error(error.message);
    else this.#log.fatal({ event: 'start-failed', err: error }, 'the service could not start');
    this.#ends.abort();
  }

  /** Registers how a part ends. `timeout`, in milliseconds, must be longer than the part's own time limits. */
  atEnd(name: string, end: () => unknown, timeout = 3_000): void {
    this.#parts.push({ name, end, timeout });
  }

  /** Ends the parts one by one, the newest first. A part that hangs is logged and skipped. Never rejects. */
  async endParts(): Promise<void> {
    for (const { name, end, timeout } of this.#parts.toReversed()) {
      const timer = new AbortController();
      const isLate = pause(timeout, true, { signal: timer.signal });
      try {
        const ended = (async () => end())().then(() => false);
        if (await Promise.race([ended, isLate]))
          this.reportHung(name, `${name} did not end within ${timeout} ms`, { milliseconds: timeout });
      } catch (error) {
        this.exitCode = 1;
        this.#log.error({ event: 'stop-failed', part: name, err: error }, `${name} could not be stopped`);
      } finally {
        timer.abort();
      }
    }
  }

  reportHung(part: string, line: string, details: object = {}): void {
    this.exitCode = 1;
    this.#log.error({ event: 'hung', part, ...details }, line);
  }
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** How long a state of the database, good or bad, is reused, in milliseconds. */
const maxAge = 1_000;

/** Ready: the process is not `ending`, and the database is ready. `ask` takes bounded time, and never rejects. */
export function readinessOf(ask: () => Promise<Partial<DatabaseState>>, ending: AbortSignal) {
  const databaseState = atMostEvery(maxAge, ask);
  return async (): Promise<Checks> =>
    ending.aborted ? { accepting: false } : { accepting: true, ...(await databaseState()) };
}

/** Calls `ask` once at a time, and reuses its answer for so many milliseconds. `ask` never rejects. */
export function atMostEvery<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  const fetchMethod = async () => ({ value: await ask() });
  const latest = new LRUCache<'answer', { readonly value: T }>({ max: 1, ttl: milliseconds, fetchMethod });
  return async () => (await latest.forceFetch('answer')).value;
}
