/** Tells the time, and wakes later: what the deadlines of a listener go by, but for those that Node looks after. */
export interface Clock {
  /** `now`: milliseconds since some moment; it never goes back. */
  readonly performance: Pick<Performance, 'now'>;
  setTimeout(act: () => void, milliseconds: number): NodeJS.Timeout;
  clearTimeout(timer: NodeJS.Timeout | undefined): void;
  setInterval(act: () => void, milliseconds: number): NodeJS.Timeout;
  clearInterval(timer: NodeJS.Timeout | undefined): void;
}

export const platformClock: Clock = { performance, setTimeout, clearTimeout, setInterval, clearInterval };
