import type { HttpLog } from '@campaign-mirror/adapters-http';
import { type EventName, type Log, throttled } from '../logging/log-events.ts';

/** The events that security monitoring looks for, by the status of the answer; any other is a `request`. */
const eventsByStatus: Readonly<Record<number, EventName>> = {
  401: 'request-unauthenticated',
  403: 'request-forbidden',
  429: 'request-limited',
};

/** The HTTP adapter's log, which writes lines and counts. `level` is that of the lines of requests. */
export function httpLog(log: Log, level: 'info' | 'debug', count: HttpLog['answered']): HttpLog {
  const outage = throttled(log, 'warn');
  return {
    answered: (request) => {
      count(request);
      // A line for each refusal would add to the load.
      if (request.overload) return;
      const { requestId, client, method, route, status, because, campaign, subject, callerGone } = request;
      const event = eventsByStatus[status] ?? 'request';
      const milliseconds = Math.round(request.milliseconds * 1000) / 1000;
      // In this order: commands of the runbook search for neighbours.
      const first = { event, requestId, client, method, route, status, because };
      log[level]({ ...first, campaign, subject, callerGone, milliseconds }, 'request');
    },
    failed: (requestId, error, because) => {
      const fields = { event: because, requestId, err: error };
      if (because === 'unexpected') log.error(fields, 'answered 500');
      else outage(fields, 'answered 503');
    },
  };
}
