import type { Log } from '../logging/log.ts';
import { LogThrottle } from '../logging/log-throttle.ts';
import type { LimitName } from './counts.ts';

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
