import type { HttpLog } from '@campaign-mirror/adapters-http';
import type { Log } from './log.ts';
import { type LogLines, timeOfLine } from './log-lines.ts';

/** Fills the HTTP adapter's log port by pino. `level` is that of the lines for requests. */
export function httpLog(log: Log, lines: LogLines, level: 'info' | 'debug' = 'info'): HttpLog {
  const number = log.levels.values[level];
  return {
    // The line that pino would write of these, past pino: that costs a fifth of it.
    answered: ({ requestId, method, route, status, because, campaign, callerGone, milliseconds }) => {
      if (!log.isLevelEnabled(level)) return;
      const line = {
        level: number,
        time: timeOfLine(),
        event: 'request',
        requestId,
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
      if (because === 'unavailable')
        log.warn({ event: 'unavailable', requestId, err: error }, 'answered 503');
      else log.error({ event: 'unexpected', requestId, err: error }, 'answered 500');
    },
  };
}
