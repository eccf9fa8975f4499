/** Keeps what happens often from being told each time. */
export class LogThrottle {
  readonly #between: number;
  #untold = 0;
  #writtenAt = Number.NEGATIVE_INFINITY;

  /** `between`: the shortest time from one telling to the next, in milliseconds. */
  constructor(between: number) {
    this.#between = between;
  }

  /** `tell` hears how often this happened since it was told last, unless that was a moment ago. */
  tell(tell: (untold: number) => void): void {
    const now = performance.now();
    if (now - this.#writtenAt < this.#between) {
      this.#untold += 1;
      return;
    }
    this.#writtenAt = now;
    const untold = this.#untold;
    this.#untold = 0;
    tell(untold);
  }
}
