import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import * as http from '@campaign-mirror/adapters-http/service';
import { type Log, throttled } from '../logging/log-events.ts';
import type { Settings } from '../settings/settings.ts';

/** How many files the system lets this process open. Beyond that, Node closes a connection without a word. */
function openFiles(): number {
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files: { soft: number | string } };
  };
  return Number(userLimits?.open_files.soft) || Number.POSITIVE_INFINITY;
}

type Listener = 'callers' | 'operators';

/** How much a listener carries at once. That for operators has limits of its own: it answers while that for callers refuses. */
export function loadOf(listener: Listener, { MAX_IN_FLIGHT }: Pick<Settings, 'MAX_IN_FLIGHT'>) {
  const maxConnections = Math.min(4_096, Math.floor(openFiles() / 2));
  return listener === 'callers'
    ? { inFlight: MAX_IN_FLIGHT, maxConnections }
    : { inFlight: 64, maxConnections: 256 };
}

const texts: Readonly<Record<http.Overload, string>> = {
  requests: 'requests are refused: MAX_IN_FLIGHT are being carried out',
  share: 'requests are refused: more than half of MAX_IN_FLIGHT is in use, and one owner has an eighth of it',
  connections: 'connections are closed at once: too many are open, or the system has no room for more',
};

/** Counts what a listener refuses for overload, and warns of it. */
export function overloadLog(listener: Listener, log: Log, count: (what: http.Overload) => void) {
  const warnings = new Map(http.overloads.map((what) => [what, throttled(log, 'warn')]));
  return (what: http.Overload) => {
    count(what);
    warnings.get(what)?.({ event: 'overload', listener, what }, texts[what]);
  };
}

/** Listens for callers or for operators. Resolves with the port in use. @throws ClearError if the address cannot be used */
export async function listen(
  server: http.HttpServer,
  settings: Settings,
  name: 'PORT' | 'OPS_PORT',
): Promise<number> {
  const port = settings[name];
  const host = name === 'PORT' ? settings.HOST : settings.OPS_HOST;
  const reusePort = name === 'PORT' && settings.REUSE_PORT === 'on';
  try {
    return (await server.listen(port, host, reusePort)).port;
  } catch (error) {
    const place = `${name} ${port} on ${host}`;
    // conda and some shells set HOST, too, to the kind or the name of the machine.
    const elsewhere = `${name.replace('PORT', 'HOST')}: ${JSON.stringify(host)} is not an address of this machine: unset it, or set one`;
    const advice = {
      EADDRINUSE: `${place} is in use: free it, or set ${name}`,
      EACCES: `${place} may not be used by this user: set ${name}`,
      ENOTSUP: 'REUSE_PORT=on: this system cannot share a port between processes (SO_REUSEPORT)',
      EADDRNOTAVAIL: elsewhere,
      ENOTFOUND: elsewhere,
      EAI_AGAIN: elsewhere,
    }[String((error as NodeJS.ErrnoException).code)];
    throw advice === undefined ? error : new ClearError(advice);
  }
}

/** The URL to call a listener on this machine, even if it listens on every address. */
export function urlOf(host: string, port: number): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Warns, once per start, that keys which cross a network without TLS can be read there. */
export function warnOfPlainHttp({ HOST, TRUSTED_PROXIES }: Settings, log: Log): void {
  const isLoopback = HOST === 'localhost' || http.trustedProxies(['loopback']).has(HOST);
  if (TRUSTED_PROXIES !== undefined || isLoopback) return;
  log.warn(
    { event: 'plain-http-exposed', host: HOST },
    'others can reach this service over plain HTTP: put a TLS proxy in front of it, and name the proxy in TRUSTED_PROXIES',
  );
}
