import type { Caller } from './caller.ts';

/** Limits how often a caller can call. */
export interface CallLimit {
  /**
   * Counts the call.
   * @throws Unavailable if the call cannot be counted and must not proceed
   */
  admits(caller: Caller): Promise<Admission>;
}

/** Whether a call is within its limit. */
export interface Admission {
  readonly admitted: boolean;
  /** Milliseconds until the limit admits as many calls as at first; 0 if that is not known. */
  readonly resetIn: number;
}
