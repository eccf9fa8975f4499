import type { HttpLog } from '@campaign-mirror/adapters-http';
import type { Log } from './log.ts';
import { type LogLines, timeOfLine } from './log-lines.ts';
import { logOrigin } from './log-origin.ts';
import { Seldom } from './seldom.ts';

/** While the database is away each request has the same fault to tell; milliseconds. */
const betweenOutageLines = 1_000;

/** What is told of a request by its name, besides its status: who watches over security looks for these. */
const events: Readonly<Record<number, string>> = {
  401: 'request-unauthenticated',
  403: 'request-forbidden',
};

/** Fills the HTTP adapter's log port by pino. `level` is that of the lines for requests. */
export function httpLog(log: Log, lines: LogLines, level: 'info' | 'debug' = 'info'): HttpLog {
  const number = log.levels.values[level];
  const { pid, worker } = logOrigin;
  const outage = new Seldom(betweenOutageLines);
  return {
    // The line that pino would write of these, past pino: that costs a fifth of it.
    answered: ({ requestId, client, method, route, status, because, campaign, callerGone, milliseconds }) => {
      if (!log.isLevelEnabled(level)) return;
      const line = {
        level: number,
        time: timeOfLine(),
        pid,
        worker,
        event: events[status] ?? 'request',
        requestId,
        client,
        method,
        route,
        status,
        because,
        campaign,
        callerGone,
        milliseconds: Math.round(milliseconds * 1000) / 1000,
        msg: 'request',
      };
      lines.add(`${JSON.stringify(line)}\n`);
    },
    failed: (requestId, error, because) => {
      if (because === 'unavailable') {
        outage.tell((untold) =>
          log.warn({ event: 'unavailable', requestId, untold, err: error }, 'answered 503'),
        );
      } else log.error({ event: 'unexpected', requestId, err: error }, 'answered 500');
    },
  };
}
