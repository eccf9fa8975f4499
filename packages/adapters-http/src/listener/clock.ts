/** The time and timers of a listener, for all deadlines except those that Node enforces. */
export interface Clock {
  /** `now`: milliseconds since some moment; it never goes back. */
  readonly performance: Pick<Performance, 'now'>;
  /** Calls once. */
  setTimeout(act: () => void, milliseconds: number): NodeJS.Timeout;
  /** Prevents the call. */
  clearTimeout(timer: NodeJS.Timeout | undefined): void;
  /** Calls again and again. */
  setInterval(act: () => void, milliseconds: number): NodeJS.Timeout;
  /** Ends the calls. */
  clearInterval(timer: NodeJS.Timeout | undefined): void;
}

export const platformClock: Clock = { performance, setTimeout, clearTimeout, setInterval, clearInterval };
