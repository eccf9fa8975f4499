/** The time and timers of a listener, for all deadlines except those that Node enforces. */
export interface Clock {
  /** `now`: milliseconds since some moment; it never goes back. */
  readonly performance: Pick<Performance, 'now'>;
  setTimeout(act: () => void, milliseconds: number): NodeJS.Timeout;
  clearTimeout(timer: NodeJS.Timeout | undefined): void;
  setInterval(act: () => void, milliseconds: number): NodeJS.Timeout;
  clearInterval(timer: NodeJS.Timeout | undefined): void;
}

export const platformClock: Clock = { performance, setTimeout, clearTimeout, setInterval, clearInterval };
