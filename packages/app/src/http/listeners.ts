import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import * as http from '@campaign-mirror/adapters-http/service';
import { type EventName, type Log, throttled } from '../logging/log-events.ts';
import type { httpMetrics } from '../metrics/call-metrics.ts';
import { aborted, type ServiceInput } from '../process/life.ts';
import type { Settings } from '../settings/settings-table.ts';

const warnings: Readonly<Record<http.Overload, string>> = {
  requests: 'requests are refused: MAX_IN_FLIGHT are in progress',
  share: 'requests are refused: more than half of MAX_IN_FLIGHT is in use, and one owner has an eighth of it',
  connections: 'connections are closed at once: too many are open, or the system has no room for more',
};

/** One of the two listeners, with limits of its own: operators are served while callers are refused. */
export function listenerFor(
  of: 'callers' | 'operators',
  { settings, log, life }: ServiceInput,
  { answered, overload, watch }: ReturnType<ReturnType<typeof httpMetrics>>,
) {
  const isForCallers = of === 'callers';
  const maxConnections = isForCallers ? Math.min(4_096, Math.floor(openFiles() / 2)) : 256;
  const warn = new Map(http.overloads.map((what) => [what, throttled(log, 'warn')]));
  const refused = (what: http.Overload) => {
    overload(what);
    warn.get(what)?.({ event: 'overload', listener: of, what }, warnings[what]);
  };
  const slots = new http.Slots(isForCallers ? settings.MAX_IN_FLIGHT : 64, refused);
  const calls = new http.Calls({
    // Health checks call every second, so their lines are at `debug`.
    log: httpLog(log, isForCallers ? 'info' : 'debug', answered),
    proxies: isForCallers ? settings.TRUSTED_PROXIES : undefined,
  });

  /** Resolves with the port. `timeout` limits a connection without traffic, in milliseconds. @throws as `listen` */
  async function serve(app: ReturnType<typeof http.application>, timeout: number): Promise<number> {
    const server = new http.HttpServer(app.callback(), {
      ...{ calls, slots, maxConnections, timeout },
      limits: { keepAliveTimeout: settings.IDLE_TIMEOUT },
      connectionRefused: () => refused('connections'),
    });
    watch(server, slots, maxConnections);
    void aborted(life.ending).then(() => Object.assign(calls, { draining: true }));
    const name = isForCallers ? 'http' : 'ops';
    const drainTime = isForCallers ? settings.SHUTDOWN_TIMEOUT : 0;
    const drain = async () => {
      const unfinished = await server.drain(drainTime);
      if (unfinished > 0) life.reportHung(name, 'requests were unfinished and got 503', { unfinished });
    };
    // After SHUTDOWN_TIMEOUT, the last answers are sent.
    life.atEnd(name, drain, drainTime + 3_000);
    return listen(server, isForCallers ? '' : 'OPS_', settings);
  }
  return { calls, slots, serve };
}

/** The events that security monitoring looks for, by the status of the answer. Other answers are `request`. */
const eventsByStatus: Readonly<Record<number, EventName>> = {
  401: 'request-unauthenticated',
  403: 'request-forbidden',
  429: 'request-limited',
};

/** The log of the HTTP adapter: it writes lines and counts. `level` is that of the lines of requests. */
export function httpLog(log: Log, level: 'info' | 'debug', count: http.HttpLog['answered']): http.HttpLog {
  const outage = throttled(log, 'warn');
  return {
    answered: (request) => {
      count(request);
      // A line for each refusal would add to the load.
      if (request.overload) return;
      const { requestId, client, method, route, status, because, campaign, subject, callerGone } = request;
      const event = eventsByStatus[status] ?? 'request';
      const milliseconds = Math.round(request.milliseconds * 1000) / 1000;
      // Commands of the runbook rely on this order.
      const first = { event, requestId, client, method, route, status, because };
      log[level]({ ...first, campaign, subject, callerGone, milliseconds }, 'request');
    },
    failed: (requestId, err, because) => {
      if (because === 'unexpected') log.error({ event: because, requestId, err }, 'answered 500');
      else outage({ event: because, requestId, err }, 'answered 503');
    },
  };
}

/** The number of files that this process may open. Beyond it, Node closes connections without an event. */
function openFiles(): number {
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files: { soft: unknown } } };
  return Number(userLimits?.open_files.soft) || Number.POSITIVE_INFINITY;
}

/** Resolves with the port. @throws ClearError if the address cannot be used */
async function listen(server: http.HttpServer, prefix: '' | 'OPS_', settings: Settings): Promise<number> {
  const port = settings[`${prefix}PORT`];
  const host = settings[`${prefix}HOST`];
  try {
    return (await server.listen(port, host, prefix === '' && settings.REUSE_PORT === 'on')).port;
  } catch (error) {
    const place = `${prefix}PORT ${port} on ${host}`;
    // conda and some shells set HOST to the type or the name of the machine.
    const elsewhere = `${prefix}HOST: ${JSON.stringify(host)} is not an address of this machine: unset it, or set one`;
    const advice = {
      EADDRINUSE: `${place} is in use: free it, or set ${prefix}PORT`,
      EACCES: `${place} may not be used by this user: set ${prefix}PORT`,
      ENOTSUP: 'REUSE_PORT=on: this system cannot share a port between processes (SO_REUSEPORT)',
      ...{ EADDRNOTAVAIL: elsewhere, ENOTFOUND: elsewhere, EAI_AGAIN: elsewhere },
    }[String((error as NodeJS.ErrnoException).code)];
    throw advice === undefined ? error : new ClearError(advice);
  }
}

/** The URL of a listener for programs on this machine, also if it listens on every address. */
export function urlOf(host: string, port: number): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
