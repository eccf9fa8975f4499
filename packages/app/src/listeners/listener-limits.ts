import {
  Capacity,
  type CapacityLimits,
  type Overload,
  type TimeLimits,
} from '@campaign-mirror/adapters-http';
import type { Log } from '../logging/log.ts';
import { throttled } from '../logging/log-throttle.ts';
import type { Settings } from '../settings/settings.ts';

/** Limits of the operators' listener: health answers while the other listener refuses, but is bounded, too. */
const opsLimits: CapacityLimits = { inFlight: 64, connections: 256 };

export function callersCapacity(settings: Settings, log: Log): Capacity {
  const limits = {
    inFlight: settings.MAX_IN_FLIGHT,
    connections: settings.MAX_CONNECTIONS,
    eventLoopDelay: settings.MAX_EVENT_LOOP_DELAY,
  };
  return new Capacity(limits, overloadLines(log, 'callers'));
}

export function operatorsCapacity(log: Log): Capacity {
  return new Capacity(opsLimits, overloadLines(log, 'operators'));
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

/** While there is overload, each refusal would repeat it; milliseconds. */
const betweenLines = 5_000;

/** Logs refusals, with the number of those since the last line. */
function overloadLines(log: Log, listener: 'callers' | 'operators'): (what: Overload) => void {
  const lines = { requests: throttled(betweenLines), 'event-loop-delay': throttled(betweenLines) };
  const all = { ...lines, connections: throttled(betweenLines) };
  return (what) =>
    all[what]((untold) => log.warn({ event: 'overload', listener, what, untold }, texts[what]));
}
