/** A limit per window. */
export interface Rate {
  /** The number of calls in a window, at least 1. */
  readonly limit: number;
  /** The length of a window, which begins with its first call. */
  readonly seconds: number;
}

/** The state of a window. */
export interface Count {
  /** The number of calls in the window, including this one. */
  readonly consumed: number;
  /** Milliseconds until the window ends. */
  readonly resetIn: number;
}

/** Counts calls, separately for each `who`. The app implements it. */
export interface Limiter {
  readonly rate: Rate;
  /**
   * Counts one more call. Undefined if it cannot be counted but is allowed anyway.
   * @throws Unavailable if it cannot be counted and is not allowed
   */
  count(who: string): Promise<Count | undefined>;
}
