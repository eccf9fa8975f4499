import type { Limiter, Rate } from '@campaign-mirror/adapters-http';
import { Unavailable } from '@campaign-mirror/domain';
import type { Log } from '../logging/log.ts';
import { throttled } from '../logging/log-throttle.ts';
import type { Counts, LimitName } from './counts.ts';

/** What happens where counting fails: the request passes (`open`), or does not. */
export type WhenAway = 'open' | 'closed';

/** A limit whose counts may be kept in a store that can be unavailable. */
export function countingLimiter(
  name: LimitName,
  rate: Rate,
  counts: Counts,
  whenAway: WhenAway,
  observer: LimitObserver,
): Limiter {
  const passes = whenAway === 'open';
  return {
    rate,
    count: async (who) => {
      try {
        return await counts.count(who);
      } catch (error) {
        observer.uncounted(name, error, passes);
        if (passes) return undefined;
        throw new Unavailable('the request could not be counted', { cause: error });
      }
    },
  };
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
  const throttle = { key: throttled(betweenLines), 'failed-keys': throttled(betweenLines) };
  return {
    uncounted: (limit, error, passed) =>
      throttle[limit]((untold) =>
        log.warn(
          { event: 'uncounted', limit, passed, untold, err: error },
          `a request could not be counted, and ${passed ? 'was let through' : 'got 503'}`,
        ),
      ),
  };
}
