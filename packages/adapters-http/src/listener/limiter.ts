/** How often something may happen. */
export interface Rate {
  /** So many times, at least 1, */
  readonly limit: number;
  /** in a window of so many seconds, which begins with the first of them. */
  readonly seconds: number;
}

/** Where somebody stands in a window. */
export interface Count {
  /** How often it has happened in it, this time included. */
  readonly consumed: number;
  /** How long the window still lasts, in milliseconds. */
  readonly resetIn: number;
}

/** Counts what happens by whom. The app fills it. */
export interface Limiter {
  readonly rate: Rate;
  /**
   * Counts once more. Undefined where it cannot be counted, and may happen all the same.
   * @throws Unavailable where it cannot be counted, and may not
   */
  count(who: string): Promise<Count | undefined>;
}
