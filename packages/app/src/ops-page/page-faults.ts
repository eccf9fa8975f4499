import type { Log } from '../logging/log.ts';
import { Seldom } from '../logging/seldom.ts';

/** What fails goes on failing; milliseconds. */
const betweenLines = 60_000;

/** Tells the log of what kept the page, or a moment of it, from being made. */
export function pageFaults(log: Log): (error: unknown) => void {
  const seldom = new Seldom(betweenLines);
  return (error) =>
    seldom.tell((untold) =>
      log.error({ event: 'page-failed', untold, err: error }, 'the page for operators could not be made'),
    );
}
