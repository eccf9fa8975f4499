import type { Log } from '../logging/log.ts';
import { throttled } from '../logging/log-throttle.ts';
import type { Moment } from './moment.ts';

/** In milliseconds. */
export const betweenMoments = 5_000;
/** Ten minutes: one more than the number of steps. */
export const maxMoments = 121;

/** The last minutes, in memory: the oldest moments are dropped. */
export class RecentMoments {
  readonly #take: () => Promise<Moment>;
  readonly #failed: (error: unknown) => void;
  readonly #kept: Moment[] = [];
  #timer: NodeJS.Timeout | undefined;
  #taking: Promise<void> | undefined;

  constructor(take: () => Promise<Moment>, failed: (error: unknown) => void) {
    this.#take = take;
    this.#failed = failed;
  }

  /** The oldest first. */
  get all(): readonly Moment[] {
    return this.#kept;
  }

  /** Takes one now, and then one at each step. */
  start(): void {
    void this.take();
    this.#timer = setInterval(() => void this.take(), betweenMoments).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** One at a time. Never rejects: a missing moment is harmless. */
  take(): Promise<void> {
    this.#taking ??= this.#keepOne().finally(() => {
      this.#taking = undefined;
    });
    return this.#taking;
  }

  async #keepOne(): Promise<void> {
    try {
      this.#kept.push(await this.#take());
      if (this.#kept.length > maxMoments) this.#kept.shift();
    } catch (error) {
      this.#failed(error);
    }
  }
}

/** A fault repeats; milliseconds. */
const betweenLines = 60_000;

/** Logs what prevented the page, or a moment of it. */
export function pageFaults(log: Log): (error: unknown) => void {
  const throttle = throttled(betweenLines);
  return (error) =>
    throttle((untold) =>
      log.error({ event: 'page-failed', untold, err: error }, 'the page for operators could not be made'),
    );
}
