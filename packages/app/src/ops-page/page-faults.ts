import type { Log } from '../logging/log.ts';
import { LogThrottle } from '../logging/log-throttle.ts';

/** A fault repeats; milliseconds. */
const betweenLines = 60_000;

/** Logs what prevented the page, or a moment of it. */
export function pageFaults(log: Log): (error: unknown) => void {
  const throttle = new LogThrottle(betweenLines);
  return (error) =>
    throttle.tell((untold) =>
      log.error({ event: 'page-failed', untold, err: error }, 'the page for operators could not be made'),
    );
}
