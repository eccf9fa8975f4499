import type { AnsweredRequest, HttpLog } from '@campaign-mirror/adapters-http';
import { type Log, type LogLines, timeOfLine, traceIds } from '../logging/log.ts';
import { type EventName, throttled } from '../logging/log-events.ts';
import type { Life } from '../process/life.ts';

/** The minimum time between two lines about an outage, in milliseconds: each request would repeat the line. */
const betweenOutageLines = 1_000;

/** The events that security monitoring looks for, by the status of the answer; any other is a `request`. */
const eventsByStatus: Readonly<Record<number, EventName>> = {
  401: 'request-unauthenticated',
  403: 'request-forbidden',
  429: 'request-limited',
};

/** The HTTP adapter's log, which writes lines and counts. `level` is that of the lines of requests. */
export function httpLog(
  log: Log,
  lines: Pick<LogLines, 'add'>,
  level: 'info' | 'debug',
  count: HttpLog['answered'],
): HttpLog {
  const levelNumber = log.levels.values[level];
  const { pid } = process;
  const outage = throttled(betweenOutageLines);
  return {
    answered: (request) => {
      count(request);
      // A line for each refusal would add to the load.
      if (request.overload || !log.isLevelEnabled(level)) return;
      // The line that pino would write, made without pino: that costs half as much.
      const line = {
        level: levelNumber,
        time: timeOfLine(),
        pid,
        ...traceIds(),
        event: eventsByStatus[request.status] ?? 'request',
        requestId: request.requestId,
        client: request.client,
        method: request.method,
        route: request.route,
        status: request.status,
        because: request.because,
        campaign: request.campaign,
        subject: request.subject,
        callerGone: request.callerGone,
        milliseconds: Math.round(request.milliseconds * 1000) / 1000,
        msg: 'request',
      };
      lines.add(`${JSON.stringify(line)}\n`);
    },
    failed: (requestId, error, because) => {
      if (because === 'unexpected') {
        log.error({ event: because, requestId, err: error }, 'answered 500');
      } else {
        outage((suppressed) =>
          log.warn({ event: because, requestId, suppressed, err: error }, 'answered 503'),
        );
      }
    },
  };
}

/** The maximum number of requests logged, the longest-running first; the others are counted. */
const maxLogged = 20;

/** Logs the requests that were unfinished at SHUTDOWN_TIMEOUT. */
export function logUnfinished(requests: readonly AnsweredRequest[], life: Life): void {
  const longestFirst = requests.toSorted((one, other) => other.milliseconds - one.milliseconds);
  for (const { requestId, method, route, ...times } of longestFirst.slice(0, maxLogged)) {
    const milliseconds = Math.round(times.milliseconds);
    const line = `a request was unfinished after ${milliseconds} ms and got 503`;
    life.reportHung('http', line, { requestId, method, route, milliseconds });
  }
  const more = requests.length - maxLogged;
  if (more > 0) life.reportHung('http', `${more} more requests were unfinished and got 503`, { more });
}
