import { type AnsweredRequest, type HttpLog, silentLog } from '@campaign-mirror/adapters-http';
import type { Log } from '../logging/log.ts';
import type { EventName, FieldName } from '../logging/log-events.ts';
import { type LogLines, timeOfLine } from '../logging/log-lines.ts';
import { logOrigin } from '../logging/log-origin.ts';
import { throttled } from '../logging/log-throttle.ts';
import type { Life } from '../process/life.ts';
import { requestTrace } from '../process/request-trace.ts';

/** While the database is unavailable, each request would repeat the fault; milliseconds. */
const betweenOutageLines = 1_000;

/** Events of a request besides its status, which security monitoring looks for. */
const events: Readonly<Record<number, EventName>> = {
  401: 'request-unauthenticated',
  403: 'request-forbidden',
  429: 'request-limited',
};

/** Fills the HTTP adapter's log port with pino and the metrics. `level` is that of the lines for requests. */
export function httpLog(
  log: Log,
  lines: LogLines,
  level: 'info' | 'debug' = 'info',
  counts: Pick<HttpLog, 'answered'> = silentLog,
): HttpLog {
  const number = log.levels.values[level];
  const { pid, worker } = logOrigin;
  const outage = throttled(betweenOutageLines);
  return {
    // The line that pino would write, without pino: that costs a fifth of it.
    answered: (request) => {
      counts.answered(request);
      const trace = requestTrace.getStore();
      trace?.answered(request);
      // A line for each refusal would add to the load.
      if (request.overload || !log.isLevelEnabled(level)) return;
      const { requestId, client, method, route, status, because, campaign, callerGone } = request;
      const line = {
        level: number,
        time: timeOfLine(),
        pid,
        worker,
        event: events[status] ?? 'request',
        requestId,
        trace_id: trace?.traceId,
        span_id: trace?.spanId,
        client,
        method,
        route,
        status,
        because,
        campaign,
        callerGone,
        milliseconds: Math.round(request.milliseconds * 1000) / 1000,
        msg: 'request',
      } satisfies Record<
        FieldName<'request'> | 'level' | 'time' | 'pid' | 'worker' | 'event' | 'msg',
        unknown
      >;
      lines.add(`${JSON.stringify(line)}\n`);
    },
    failed: (requestId, error, because) => {
      const trace = requestTrace.getStore();
      trace?.failed(error);
      const [trace_id, span_id] = [trace?.traceId, trace?.spanId];
      if (because === 'unavailable') {
        outage((untold) =>
          log.warn(
            { event: 'unavailable', requestId, trace_id, span_id, untold, err: error },
            'answered 503',
          ),
        );
      } else log.error({ event: 'unexpected', requestId, trace_id, span_id, err: error }, 'answered 500');
    },
  };
}

/** The maximum number of requests named, the longest-running first; the others are counted. */
const maxNamed = 20;

/** Logs the requests that were unfinished at SHUTDOWN_TIMEOUT. */
export function tellOfUnfinished(left: readonly AnsweredRequest[], life: Life): void {
  const longestFirst = left.toSorted((one, other) => other.milliseconds - one.milliseconds);
  for (const one of longestFirst.slice(0, maxNamed)) {
    const milliseconds = Math.round(one.milliseconds);
    const { requestId, method, route } = one;
    life.hung('http', `a request was unfinished after ${milliseconds} ms and got 503`, {
      ...{ requestId, method, route },
      milliseconds,
    });
  }
  const more = left.length - maxNamed;
  if (more > 0) life.hung('http', `${more} more requests were unfinished and got 503`, { more });
}
