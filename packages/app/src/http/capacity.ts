import { Capacity, type Overload } from '@campaign-mirror/adapters-http';
import type { Log } from '../logging/log.ts';
import { throttled } from '../logging/log-throttle.ts';
import type { Settings } from '../settings/settings.ts';

/** Connections that are held open: those beyond it are closed at once. */
const maxConnections = 4_096;

/** While there is overload, each refusal would repeat the line; milliseconds. */
const betweenLines = 5_000;

/** The log's text: what is refused, and when. */
const texts: Readonly<Record<Overload, string>> = {
  requests: 'requests are refused: MAX_IN_FLIGHT are being carried out',
  share: 'requests are refused: of more than half of MAX_IN_FLIGHT, one caller or campaign has its eighth',
  'event-loop-delay': 'requests are refused: the event loop is later than MAX_EVENT_LOOP_DELAY',
  connections: `connections are refused: ${maxConnections} are open, or the system has no room for more`,
};

/** How much a listener carries. Health answers while the callers' listener refuses, but is bounded, too. */
export function capacityOf(
  listener: 'callers' | 'operators',
  { MAX_IN_FLIGHT, MAX_EVENT_LOOP_DELAY }: Settings,
  log: Log,
  count: (what: Overload) => void,
): Capacity {
  const throttles = new Map(Object.keys(texts).map((what) => [what, throttled(betweenLines)]));
  const limits =
    listener === 'callers'
      ? { inFlight: MAX_IN_FLIGHT, connections: maxConnections, eventLoopDelay: MAX_EVENT_LOOP_DELAY }
      : { inFlight: 64, connections: 256 };
  return new Capacity(limits, (what) => {
    count(what);
    throttles.get(what)?.((untold) => log.warn({ event: 'overload', listener, what, untold }, texts[what]));
  });
}
