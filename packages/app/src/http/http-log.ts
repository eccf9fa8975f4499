import type { HttpLog } from '@campaign-mirror/adapters-http';
import { type EventName, type Log, throttled } from '../logging/log-events.ts';

/** The HTTP adapter's log, which writes lines and counts. `level` is that of the lines of requests. */
export function httpLog(log: Log, level: 'info' | 'debug', count: HttpLog['answered']): HttpLog {
  const outage = throttled(log, 'warn');
  const of = (event: EventName) => log.child({ event });
  const usual = of('request');
  /** Those that security monitoring looks for, by the status of the answer. */
  const suspicious: Readonly<Record<number, typeof usual>> = {
    401: of('request-unauthenticated'),
    403: of('request-forbidden'),
    429: of('request-limited'),
  };
  return {
    answered: (request) => {
      count(request);
      // A line for each refusal would add to the load.
      if (!request.overload) (suspicious[request.status] ?? usual)[level](request, 'request');
    },
    failed: (requestId, error, because) => {
      const fields = { event: because, requestId, err: error };
      if (because === 'unexpected') log.error(fields, 'answered 500');
      else outage(fields, 'answered 503');
    },
  };
}
