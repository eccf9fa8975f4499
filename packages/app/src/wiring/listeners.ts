import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import * as http from '@campaign-mirror/adapters-http/service';
import { openProbe } from '@campaign-mirror/adapters-persistence/service';
import { Registry } from 'prom-client';
import type { DatabaseAccess } from '../database/database-access.ts';
import { httpLog } from '../http/http-log.ts';
import { listen, loadOf, overloadLog } from '../http/listening.ts';
import type { httpMetrics } from '../metrics/call-metrics.ts';
import { serviceMetrics } from '../metrics/metrics.ts';
import { opsPage } from '../ops-page/page.ts';
import { aborted } from '../process/life.ts';
import { readinessOf } from '../process/readiness.ts';
import type { KoaApplication, ServiceInput } from './tokens.ts';

type Listener = 'callers' | 'operators';

/** What the application and the server of a listener share: what it carries at once, and where requests are recorded. */
export function loadFor(
  listener: Listener,
  { settings, log }: ServiceInput,
  { answered, overload, watch }: ReturnType<ReturnType<typeof httpMetrics>>,
) {
  const { inFlight, maxConnections } = loadOf(listener, settings);
  const refused = overloadLog(listener, log, overload);
  const isForCallers = listener === 'callers';
  // Health checks call every second: their lines are at `debug`.
  const requestLog = httpLog(log, isForCallers ? 'info' : 'debug', answered);
  const calls = new http.Calls({
    log: requestLog,
    proxies: isForCallers ? settings.TRUSTED_PROXIES : undefined,
  });
  const slots = new http.Slots(inFlight, refused);
  return { calls, slots, maxConnections, connectionRefused: () => refused('connections'), watch };
}

/** How long the database may take to answer for `/readyz`, in milliseconds. */
const probeTimeout = 1_000;

/** Health, metrics and the page for operators. @throws ClearError if a module has metrics of the service's names */
export function operatorsApplication(
  { settings, version, registry, life }: ServiceInput,
  load: ReturnType<typeof loadFor>,
  ofModules: Registry,
  database: DatabaseAccess | undefined,
): KoaApplication {
  const probe = database && openProbe(database.address('service'), probeTimeout);
  if (probe) life.atEnd('probe', probe.close);
  const readiness = readinessOf(async () => (await probe?.ask()) ?? {}, life.ending);
  serviceMetrics(registry, version, readiness, probe);
  const { contentType } = registry;
  const merged = () => Registry.merge([registry, ofModules]);
  try {
    merged();
  } catch (error) {
    throw new ClearError(`tokens.metrics does not fit: ${(error as Error).message}`);
  }
  const scrape: http.Page = async () => ({ status: 200, contentType, body: await merged().metrics() });
  const names = [settings.OPS_HOST, ...(settings.OPS_NAMES ?? [])].map((name) => name.toLowerCase());
  const more = { ...opsPage(), '/metrics': scrape };
  return http.opsApplication({ ...load, readiness, version, more, names });
}

/** How long the last answers may take after SHUTDOWN_TIMEOUT, in milliseconds. */
const drainGrace = 3_000;

/**
 * Opens a listener, which is drained at the end. `standstill`: how long a connection may stand still, in milliseconds.
 * Resolves with its port. @throws ClearError if that cannot be used
 */
export function open(
  listener: Listener,
  app: KoaApplication,
  load: ReturnType<typeof loadFor>,
  standstill: number,
  { settings, life }: ServiceInput,
): Promise<number> {
  const limits = { keepAliveTimeout: settings.IDLE_TIMEOUT };
  const server = new http.HttpServer(app.callback(), { ...load, limits, timeout: standstill });
  load.watch(server, load.slots, load.maxConnections);
  void aborted(life.ending).then(() => {
    load.calls.draining = true;
  });
  const [name, timeout, port] =
    listener === 'callers'
      ? (['http', settings.SHUTDOWN_TIMEOUT, 'PORT'] as const)
      : (['ops', 0, 'OPS_PORT'] as const);
  const drain = async () => {
    const unfinished = await server.drain(timeout);
    if (unfinished > 0) life.reportHung(name, 'requests were unfinished and got 503', { unfinished });
  };
  life.atEnd(name, drain, timeout + drainGrace);
  return listen(server, settings, port);
}
