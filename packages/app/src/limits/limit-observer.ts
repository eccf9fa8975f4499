import type { Log } from '../logging/log.ts';
import { LogThrottle } from '../logging/log-throttle.ts';
import type { LimitName } from './counts.ts';

/** Hears of what could not be counted: each time. */
export interface LimitObserver {
  /** `passed`: it was let through. */
  uncounted(limit: LimitName, error: unknown, passed: boolean): void;
}

/** While those who count are away each request has the same to tell; milliseconds. */
const betweenLines = 1_000;

/** Writes a line of it, once a second for each limit. */
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
