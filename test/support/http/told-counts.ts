import type { Count, Limiter } from '@campaign-mirror/adapters-http';

/** Counts each by itself in a window that never ends, and remembers of whom it was asked. */
export class ToldCounts implements Limiter {
  readonly rate: Limiter['rate'];
  readonly asked: string[] = [];
  /** What the window still lasts, in milliseconds. */
  resetIn = 29_001;
  /** Thrown instead of a count. */
  fault: Error | undefined;

  constructor(limit: number) {
    this.rate = { limit, seconds: 60 };
  }

  async count(who: string): Promise<Count> {
    if (this.fault) throw this.fault;
    this.asked.push(who);
    return { consumed: this.asked.filter((one) => one === who).length, resetIn: this.resetIn };
  }
}
