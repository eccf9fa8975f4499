import {
  Capacity,
  type CapacityLimits,
  type Overload,
  type OverloadLog,
  type TimeLimits,
} from '@campaign-mirror/adapters-http';
import type { Log } from '../logging/log.ts';
import type { Settings } from '../settings/settings.ts';

/** Limits of the operators' listener: health answers while the other listener refuses, but is bounded, too. */
const opsLimits: CapacityLimits = { inFlight: 64, connections: 256 };

export function callersCapacity(settings: Settings, log: Log): Capacity {
  const limits = {
    inFlight: settings.MAX_IN_FLIGHT,
    connections: settings.MAX_CONNECTIONS,
    eventLoopDelay: settings.MAX_EVENT_LOOP_DELAY,
  };
  return new Capacity(limits, overloadLog(log, 'callers'));
}

export function operatorsCapacity(log: Log): Capacity {
  return new Capacity(opsLimits, overloadLog(log, 'operators'));
}

export function callersTimeLimits(settings: Settings): TimeLimits {
  return {
    headersTimeout: settings.HEADERS_TIMEOUT,
    requestTimeout: settings.REQUEST_TIMEOUT,
    keepAliveTimeout: settings.IDLE_TIMEOUT,
  };
}

/** The log's text: what is refused, and the setting that decides when. */
const texts: Readonly<Record<Overload, string>> = {
  requests: 'requests are refused: MAX_IN_FLIGHT are being carried out',
  'event-loop-delay': 'requests are refused: the event loop is later than MAX_EVENT_LOOP_DELAY',
  connections: 'connections are refused: MAX_CONNECTIONS are open, or the system has no room for more',
};

/** Fills the HTTP adapter's overload port: one line at the beginning, one at the end. */
function overloadLog(log: Log, listener: 'callers' | 'operators'): OverloadLog {
  return {
    began: (what) => log.warn({ event: 'overload', listener, what }, texts[what]),
    ended: (what, refused, milliseconds) =>
      log.warn(
        { event: 'overload-over', listener, what, refused, milliseconds: Math.round(milliseconds) },
        `${refused} ${what === 'connections' ? 'connections' : 'requests'} were refused in ${Math.ceil(milliseconds / 1_000)} s`,
      ),
  };
}
