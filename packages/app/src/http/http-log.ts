import type { HttpLog } from '@campaign-mirror/adapters-http';
import { type LogLines, timeOfLine } from '../logging/log.ts';
import { type EventName, type Log, throttled } from '../logging/log-events.ts';

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
  const outage = throttled(log, 'warn');
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
      const fields = { event: because, requestId, err: error };
      if (because === 'unexpected') log.error(fields, 'answered 500');
      else outage(fields, 'answered 503');
    },
  };
}
