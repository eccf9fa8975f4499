import type { Clock } from './clock.ts';

/** Milliseconds between two measurements. */
const interval = 50;

/** How late the event loop is: once each of its turns takes too long, nothing helps but to do less. */
export class EventLoopDelay {
  readonly #maxDelay: number;
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;
  #due: number;
  #wasLate = false;
  #tooLong = false;

  /** `maxDelay`, in milliseconds: more than this twice in a row is too long. */
  constructor(maxDelay: number, clock: Clock) {
    this.#maxDelay = maxDelay;
    this.#clock = clock;
    this.#due = clock.performance.now() + interval;
    this.#timer = clock.setInterval(() => this.#look(), interval).unref();
  }

  /** A single pause, as for the collection of garbage, does not count. */
  get tooLong(): boolean {
    return this.#tooLong;
  }

  stop(): void {
    this.#clock.clearInterval(this.#timer);
    this.#tooLong = false;
  }

  #look(): void {
    const now = this.#clock.performance.now();
    const late = now - this.#due > this.#maxDelay;
    this.#due = now + interval;
    this.#tooLong = late && this.#wasLate;
    this.#wasLate = late;
  }
}
