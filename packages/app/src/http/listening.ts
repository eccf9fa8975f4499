import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import { Capacity, type HttpServer, type Overload, trustedProxies } from '@campaign-mirror/adapters-http';
import type { Log } from '../logging/log.ts';
import { throttled } from '../logging/log-events.ts';
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
    throttles.get(what)?.((suppressed) =>
      log.warn({ event: 'overload', listener, what, suppressed }, texts[what]),
    );
  });
}

/** Listens for callers or for operators. Resolves with the port in use. @throws ClearError when that is impossible */
export async function listen(
  server: HttpServer,
  settings: Settings,
  name: 'PORT' | 'OPS_PORT',
): Promise<number> {
  const port = settings[name];
  const host = name === 'PORT' ? settings.HOST : settings.OPS_HOST;
  const reusePort = name === 'PORT' && settings.REUSE_PORT === 'on';
  try {
    return (await server.listen(port, host, { reusePort })).port;
  } catch (error) {
    const { code = '' } = error as { code?: string };
    const advice = remedies[code]?.(name, `${name} ${port} on ${host}`, host);
    throw advice === undefined ? error : new ClearError(advice);
  }
}

/** HOST is also what conda and some shells call the kind or the name of the machine. */
const noAddress = (name: string, _where: string, host: string) =>
  `${name.replace('PORT', 'HOST')}: ${JSON.stringify(host)} is no address of this machine: unset it, or set one`;

const remedies: Readonly<Record<string, (name: string, where: string, host: string) => string>> = {
  EADDRINUSE: (name, where) => `${where} is in use: free it, or set ${name}`,
  EACCES: (name, where) => `${where} may not be used by this user: set ${name}`,
  ENOTSUP: () => 'REUSE_PORT=on: this system cannot share a port between processes (SO_REUSEPORT)',
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
};

/** Once per start: keys that cross a network without TLS can be read there. */
export function warnOfPlainHttp({ HOST, TRUSTED_PROXIES }: Settings, log: Log): void {
  const isLoopback = HOST === 'localhost' || trustedProxies(['loopback']).has(HOST);
  if (TRUSTED_PROXIES !== undefined || isLoopback) return;
  log.warn(
    { event: 'plain-http-exposed', host: HOST },
    'others can reach this service over plain HTTP: put a TLS proxy in front of it, and name the proxy in TRUSTED_PROXIES',
  );
}
