import type { AnsweredRequest, HttpLog } from '@campaign-mirror/adapters-http';
import { type Log, type LogLines, timeOfLine, traceIds } from '../logging/log.ts';
import { type EventName, throttled } from '../logging/log-events.ts';
import type { Life } from '../process/life.ts';

/** While the database is unavailable, each request would repeat the fault; milliseconds. */
const betweenOutageLines = 1_000;

/** Events of a request besides its status, which security monitoring looks for. */
const events: Readonly<Record<number, EventName>> = {
  401: 'request-unauthenticated',
  403: 'request-forbidden',
  429: 'request-limited',
};

/** Fills the HTTP adapter's log port with the log and the metrics. `level` is that of the lines for requests. */
export function httpLog(
  log: Log,
  lines: Pick<LogLines, 'add'>,
  level: 'info' | 'debug',
  count: HttpLog['answered'],
): HttpLog {
  const number = log.levels.values[level];
  const { pid } = process;
  const outage = throttled(betweenOutageLines);
  return {
    answered: (request) => {
      count(request);
      // A line for each refusal would add to the load.
      if (request.overload || !log.isLevelEnabled(level)) return;
      const { requestId, client, method, route, status, because, campaign, subject, callerGone } = request;
      // The line that pino would write, without pino: that costs half of it.
      const line = {
        ...{ level: number, time: timeOfLine(), pid, ...traceIds(), event: events[status] ?? 'request' },
        ...{ requestId, client, method, route, status, because, campaign, subject, callerGone },
        milliseconds: Math.round(request.milliseconds * 1000) / 1000,
        msg: 'request',
      };
      lines.add(`${JSON.stringify(line)}\n`);
    },
    failed: (requestId, error, because) => {
      if (because === 'unexpected') log.error({ event: because, requestId, err: error }, 'answered 500');
      else
        outage((suppressed) =>
          log.warn({ event: because, requestId, suppressed, err: error }, 'answered 503'),
        );
    },
  };
}

/** The maximum number of requests named, the longest-running first; the others are counted. */
const maxNamed = 20;

/** Logs the requests that were unfinished at SHUTDOWN_TIMEOUT. */
export function logUnfinished(left: readonly AnsweredRequest[], life: Life): void {
  const longestFirst = left.toSorted((one, other) => other.milliseconds - one.milliseconds);
  for (const { requestId, method, route, ...one } of longestFirst.slice(0, maxNamed)) {
    const milliseconds = Math.round(one.milliseconds);
    const line = `a request was unfinished after ${milliseconds} ms and got 503`;
    life.reportHung('http', line, { requestId, method, route, milliseconds });
  }
  const more = left.length - maxNamed;
  if (more > 0) life.reportHung('http', `${more} more requests were unfinished and got 503`, { more });
}
