import {
  Capacity,
  type CapacityLimits,
  type Deadlines,
  defaultDeadlines,
} from '@campaign-mirror/adapters-http';
import type { Log } from '../logging/log.ts';
import type { Settings } from '../settings/settings.ts';
import { overloadLog } from './overload-log.ts';

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

export function callersDeadlines(settings: Settings): Deadlines {
  return {
    ...defaultDeadlines,
    headersTimeout: settings.HEADERS_TIMEOUT,
    bodyTimeout: settings.BODY_TIMEOUT,
    requestTimeout: settings.REQUEST_TIMEOUT,
    answerTimeout: settings.ANSWER_TIMEOUT,
    keepAliveTimeout: settings.IDLE_TIMEOUT,
  };
}
