/** Limits how often a frequent event is reported. */
export class LogThrottle {
  readonly #between: number;
  #untold = 0;
  #writtenAt = Number.NEGATIVE_INFINITY;

  /** `between`: the shortest time between two reports, in milliseconds. */
  constructor(between: number) {
    this.#between = between;
  }

  /** `tell` receives how often this happened since the last report, unless that was a moment ago. */
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
