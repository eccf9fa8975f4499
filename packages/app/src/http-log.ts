import type { HttpLog } from '@campaign-mirror/adapters-http';
import type { Log } from './log.ts';

/** Fills the HTTP adapter's log port by pino. `level` is that of the lines for requests. */
export function httpLog(log: Log, level: 'info' | 'debug' = 'info'): HttpLog {
  return {
    answered: ({ requestId, milliseconds, ...rest }) =>
      log[level](
        { event: 'request', requestId, ...rest, milliseconds: Math.round(milliseconds * 1000) / 1000 },
        'request',
      ),
    failed: (requestId, error, because) => {
      if (because === 'unavailable')
        log.warn({ event: 'unavailable', requestId, err: error }, 'answered 503');
      else log.error({ event: 'unexpected', requestId, err: error }, 'answered 500');
    },
  };
}
