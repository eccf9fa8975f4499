import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds between two measurements. */
const resolution = 20;

/** How late the event loop is: once each of its turns takes too long, nothing helps but to do less. */
export class EventLoopDelay {
  readonly #delays = monitorEventLoopDelay({ resolution });
  readonly #timer: NodeJS.Timeout;
  tooLong = false;

  /** `limit`: how late it may be, in milliseconds. */
  constructor(limit: number) {
    this.#delays.enable();
    this.#timer = setInterval(() => {
      // One late turn alone, as for the collection of garbage, does not count.
      if (this.#delays.count < 2) return;
      this.tooLong = this.#delays.min / 1e6 - resolution > limit;
      this.#delays.reset();
    }, resolution).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#delays.disable();
    this.tooLong = false;
  }
}
