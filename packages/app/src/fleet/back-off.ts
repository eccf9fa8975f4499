/** Milliseconds. */
export interface BackOffBounds {
  /** The pause before the first attempt; it doubles up to the longest. */
  readonly first: number;
  readonly longest: number;
  /** After running this long, the pauses start again with the first. */
  readonly healthy: number;
}

const usualBackOff: BackOffBounds = { first: 100, longest: 10_000, healthy: 60_000 };

/** How long to wait before a failing start is repeated. */
export class BackOff {
  readonly #bounds: BackOffBounds;
  #attempts = 0;

  constructor(bounds = usualBackOff) {
    this.#bounds = bounds;
  }

  /** `lasted`: how long the last attempt ran, in milliseconds. */
  next(lasted: number): number {
    if (lasted >= this.#bounds.healthy) this.#attempts = 0;
    const { first, longest } = this.#bounds;
    const pause = Math.min(first * 2 ** this.#attempts, longest);
    this.#attempts += 1;
    return pause;
  }
}
