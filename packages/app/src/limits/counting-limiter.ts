import type { Count, Limiter, Rate } from '@campaign-mirror/adapters-http';
import { Unavailable } from '@campaign-mirror/domain';
import type { Log } from '../logging/log.ts';
import { LogThrottle } from '../logging/log-throttle.ts';
import type { Counts, LimitName } from './counts.ts';

/** What happens where counting fails: the request passes (`open`), or does not. */
export type WhenAway = 'open' | 'closed';

/** A limit whose counts may be kept in a store that can be unavailable. */
export class CountingLimiter implements Limiter {
  readonly rate: Rate;
  readonly #name: LimitName;
  readonly #counts: Counts;
  readonly #passes: boolean;
  readonly #observer: LimitObserver;

  constructor(name: LimitName, rate: Rate, counts: Counts, whenAway: WhenAway, observer: LimitObserver) {
    this.rate = rate;
    this.#name = name;
    this.#counts = counts;
    this.#passes = whenAway === 'open';
    this.#observer = observer;
  }

  async count(who: string): Promise<Count | undefined> {
    try {
      return await this.#counts.count(who);
    } catch (error) {
      this.#observer.uncounted(this.#name, error, this.#passes);
      if (this.#passes) return undefined;
      throw new Unavailable('the request could not be counted', { cause: error });
    }
  }
}

/** Notified each time counting fails. */
export interface LimitObserver {
  /** `passed`: the request was let through. */
  uncounted(limit: LimitName, error: unknown, passed: boolean): void;
}

/** While the store is unavailable, each request would repeat the line; milliseconds. */
const betweenLines = 1_000;

/** Logs it once a second for each limit. */
export function limitsLog(log: Log): LimitObserver {
  const throttle = { key: new LogThrottle(betweenLines), 'failed-keys': new LogThrottle(betweenLines) };
  return {
    uncounted: (limit, error, passed) =>
      throttle[limit].tell((untold) =>
        log.warn(
          { event: 'uncounted', limit, passed, untold, err: error },
          `a request could not be counted, and ${passed ? 'was let through' : 'got 503'}`,
        ),
      ),
  };
}
