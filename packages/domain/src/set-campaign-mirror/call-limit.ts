import type { Caller } from './caller.ts';

/** Bounds how often a caller may call. */
export interface CallLimit {
  /**
   * Counts the call; false where it is one too many.
   * @throws Unavailable where it cannot be counted, and may not go on
   */
  admits(caller: Caller): Promise<boolean>;
}
