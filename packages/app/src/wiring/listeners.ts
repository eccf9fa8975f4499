import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import * as http from '@campaign-mirror/adapters-http/service';
import { openProbe } from '@campaign-mirror/adapters-persistence/service';
import { Registry } from 'prom-client';
import type { DatabaseAccess } from '../database/database-access.ts';
import { httpLog } from '../http/http-log.ts';
import { listen, loadOf, overloadLog } from '../http/listening.ts';
import type { httpMetrics } from '../metrics/http-metrics.ts';
import { serviceMetrics } from '../metrics/service-metrics.ts';
import { opsPage } from '../ops-page/page.ts';
import { aborted } from '../process/life.ts';
import { readinessOf } from '../process/readiness.ts';
import type { KoaApplication, ServiceInput } from './tokens.ts';

/** What a listener carries at once, and where its requests are recorded: for its application and for its server. */
export type Load = ReturnType<typeof loadFor>;

export function loadFor(
  listener: 'callers' | 'operators',
  { settings, log, lines }: ServiceInput,
  metrics: ReturnType<typeof httpMetrics>,
) {
  const { inFlight, maxConnections } = loadOf(listener, settings);
  const refused = overloadLog(listener, log, metrics.overload(listener));
  // Health checks call every second: their lines are at `debug`.
  const level = listener === 'callers' ? 'info' : 'debug';
  const proxies = listener === 'callers' ? settings.TRUSTED_PROXIES : undefined;
  const calls = new http.Calls({ log: httpLog(log, lines, level, metrics.answered(listener)), proxies });
  const slots = new http.Slots(inFlight, refused);
  const watch = (server: http.HttpServer) => metrics.watch(listener, { server, slots, maxConnections });
  return { calls, slots, maxConnections, connectionRefused: () => refused('connections'), watch };
}

/** How long the database may take to answer for `/readyz`, in milliseconds. */
const probeTimeout = 1_000;

/** Health, metrics and the page for operators. @throws ClearError if a module has metrics of the service's names */
export function operatorsApplication(
  { settings, version, registry, life }: ServiceInput,
  load: Load,
  more: Registry,
  database: DatabaseAccess | undefined,
): KoaApplication {
  const probe = database && openProbe(database.address('service'), probeTimeout);
  if (probe) life.atEnd('probe', probe.close);
  const readiness = readinessOf(async () => (await probe?.ask()) ?? {}, life.ending);
  serviceMetrics(registry, version, readiness, probe);
  const { contentType } = registry;
  const merged = () => Registry.merge([registry, more]);
  try {
    merged();
  } catch (error) {
    throw new ClearError(`tokens.metrics does not fit: ${(error as Error).message}`);
  }
  const scrape: http.OpsAnswer = async () => ({ status: 200, contentType, body: await merged().metrics() });
  const names = [settings.OPS_HOST.toLowerCase(), ...settings.OPS_NAMES];
  return http.opsApplication({
    ...load,
    readiness,
    version,
    more: { ...opsPage(), '/metrics': scrape },
    names,
  });
}

/** How long the last answers may take after SHUTDOWN_TIMEOUT, in milliseconds. */
const drainGrace = 3_000;

/** Opens the listener for callers. Resolves with its port. @throws ClearError if the address cannot be used */
export function openCallers(
  app: KoaApplication,
  load: Load,
  { settings, life }: ServiceInput,
): Promise<number> {
  const { CORS_ORIGINS: origins, IDLE_TIMEOUT: keepAliveTimeout, SHUTDOWN_TIMEOUT } = settings;
  const server = new http.HttpServer(app.callback(), { ...load, limits: { keepAliveTimeout }, origins });
  load.watch(server);
  void aborted(life.ending).then(() => {
    load.calls.draining = true;
  });
  const drain = async () => {
    const { length: unfinished } = await server.drain(SHUTDOWN_TIMEOUT);
    if (unfinished > 0) life.reportHung('http', 'requests were unfinished and got 503', { unfinished });
  };
  life.atEnd('http', drain, SHUTDOWN_TIMEOUT + drainGrace);
  return listen(server, settings, 'PORT');
}

/** The same for operators. */
export function openOperators(
  app: KoaApplication,
  load: Load,
  { settings, life }: ServiceInput,
): Promise<number> {
  const server = new http.HttpServer(app.callback(), load);
  load.watch(server);
  life.atEnd('ops', () => server.drain(0));
  return listen(server, settings, 'OPS_PORT');
}
