import type { Log } from '../logging/log.ts';
import { Seldom } from '../logging/seldom.ts';
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
  const seldom = { key: new Seldom(betweenLines), 'failed-keys': new Seldom(betweenLines) };
  return {
    uncounted: (limit, error, passed) =>
      seldom[limit].tell((untold) =>
        log.warn(
          { event: 'uncounted', limit, passed, untold, err: error },
          `a request could not be counted, and ${passed ? 'was let through' : 'got 503'}`,
        ),
      ),
  };
}
