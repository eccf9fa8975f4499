/** Milliseconds between two looks. */
const usualInterval = 50;

/** How late the event loop is: once each of its turns takes too long, nothing helps but to do less. */
export class EventLoopDelay {
  readonly #most: number;
  readonly #interval: number;
  readonly #timer: NodeJS.Timeout;
  #due: number;
  #wasLate = false;
  #tooLong = false;

  /** `most`: milliseconds that it may be late, two times one after the other. */
  constructor(most: number, interval = usualInterval) {
    this.#most = most;
    this.#interval = interval;
    this.#due = performance.now() + interval;
    this.#timer = setInterval(() => this.#look(), interval).unref();
  }

  /** A single pause, as for the collection of garbage, does not count. */
  get tooLong(): boolean {
    return this.#tooLong;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#tooLong = false;
  }

  #look(): void {
    const now = performance.now();
    const late = now - this.#due > this.#most;
    this.#due = now + this.#interval;
    this.#tooLong = late && this.#wasLate;
    this.#wasLate = late;
  }
}
