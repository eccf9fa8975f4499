import type { Log } from '../logging/log.ts';
import { LogThrottle } from '../logging/log-throttle.ts';

/** What fails goes on failing; milliseconds. */
const betweenLines = 60_000;

/** Tells the log of what kept the page, or a moment of it, from being made. */
export function pageFaults(log: Log): (error: unknown) => void {
  const throttle = new LogThrottle(betweenLines);
  return (error) =>
    throttle.tell((untold) =>
      log.error({ event: 'page-failed', untold, err: error }, 'the page for operators could not be made'),
    );
}
