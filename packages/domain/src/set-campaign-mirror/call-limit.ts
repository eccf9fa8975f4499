import type { Caller } from './caller.ts';

/** Limits how often a caller can call. */
export interface CallLimit {
  /**
   * Counts the call; returns false if it is over the limit.
   * @throws Unavailable if the call cannot be counted and must not proceed
   */
  admits(caller: Caller): Promise<boolean>;
}
