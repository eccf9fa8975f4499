import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import * as http from '@campaign-mirror/adapters-http/service';
import { type Log, throttled } from '../logging/log-events.ts';
import type { httpMetrics } from '../metrics/call-metrics.ts';
import { aborted, type Life } from '../process/life.ts';
import type { Settings } from '../settings/settings.ts';
import { httpLog } from './http-log.ts';

const warningsOf: Readonly<Record<http.Overload, string>> = {
  requests: 'requests are refused: MAX_IN_FLIGHT are being carried out',
  share: 'requests are refused: more than half of MAX_IN_FLIGHT is in use, and one owner has an eighth of it',
  connections: 'connections are closed at once: too many are open, or the system has no room for more',
};

/** How long the last answers may take after SHUTDOWN_TIMEOUT, in milliseconds. */
const drainGrace = 3_000;

interface ListenerInput {
  readonly settings: Settings;
  readonly log: Log;
  readonly life: Life;
  readonly metrics: ReturnType<typeof httpMetrics>;
}

/**
 * A listener: what it carries at once, where its requests are recorded, and how an application is served. That for
 * operators has limits of its own: it answers while that for callers refuses.
 */
export function listenerFor(of: 'callers' | 'operators', { settings, log, life, metrics }: ListenerInput) {
  const isForCallers = of === 'callers';
  const { answered, overload, watch } = metrics(of);
  const maxConnections = isForCallers ? Math.min(4_096, Math.floor(openFiles() / 2)) : 256;
  const warnings = new Map(http.overloads.map((what) => [what, throttled(log, 'warn')]));
  const refused = (what: http.Overload) => {
    overload(what);
    warnings.get(what)?.({ event: 'overload', listener: of, what }, warningsOf[what]);
  };
  const slots = new http.Slots(isForCallers ? settings.MAX_IN_FLIGHT : 64, refused);
  const calls = new http.Calls({
    // Health checks call every second: their lines are at `debug`.
    log: httpLog(log, isForCallers ? 'info' : 'debug', answered),
    proxies: isForCallers ? settings.TRUSTED_PROXIES : undefined,
  });

  /**
   * Serves the application until the end of the process, when it is drained. `timeout`: how long a connection may stand
   * still, in milliseconds. Resolves with the port. @throws ClearError if that cannot be used
   */
  async function serve(app: ReturnType<typeof http.application>, timeout: number): Promise<number> {
    const limits = { keepAliveTimeout: settings.IDLE_TIMEOUT };
    const connectionRefused = () => refused('connections');
    const options = { calls, slots, maxConnections, connectionRefused, limits, timeout };
    const server = new http.HttpServer(app.callback(), options);
    watch(server, slots, maxConnections);
    void aborted(life.ending).then(() => {
      calls.draining = true;
    });
    const name = isForCallers ? 'http' : 'ops';
    const drainTime = isForCallers ? settings.SHUTDOWN_TIMEOUT : 0;
    const drain = async () => {
      const unfinished = await server.drain(drainTime);
      if (unfinished > 0) life.reportHung(name, 'requests were unfinished and got 503', { unfinished });
    };
    life.atEnd(name, drain, drainTime + drainGrace);
    return listen(server, isForCallers ? 'PORT' : 'OPS_PORT', settings);
  }
  return { calls, slots, serve };
}

/** How many files the system lets this process open. Beyond that, Node closes a connection without a word. */
function openFiles(): number {
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files: { soft: number | string } };
  };
  return Number(userLimits?.open_files.soft) || Number.POSITIVE_INFINITY;
}

async function listen(server: http.HttpServer, name: 'PORT' | 'OPS_PORT', settings: Settings) {
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
