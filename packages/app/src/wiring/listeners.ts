import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import { interfacePages } from '@campaign-mirror/adapters-http/docs';
import * as http from '@campaign-mirror/adapters-http/service';
import { openProbe } from '@campaign-mirror/adapters-persistence/service';
import { Registry } from 'prom-client';
import type { DatabaseAccess } from '../database/database-access.ts';
import { httpLog } from '../http/http-log.ts';
import { loadOf, overloadLog } from '../http/listening.ts';
import type { httpMetrics } from '../metrics/http-metrics.ts';
import { serviceMetrics } from '../metrics/service-metrics.ts';
import { opsPage } from '../ops-page/page.ts';
import { aborted } from '../process/life.ts';
import { readinessOf } from '../process/readiness.ts';
import type { BoundParts, ServiceInput } from './tokens.ts';

/** What both listeners need besides the settings. */
interface Shared {
  readonly parts: BoundParts;
  readonly metrics: ReturnType<typeof httpMetrics>;
}

/** How long the last answers may take after SHUTDOWN_TIMEOUT, in milliseconds. */
const drainGrace = 3_000;

/** The listener for callers. `isWellFormed`: whether a bearer token can be a credential; any by default. */
export function callersListener(
  { settings, log, lines, life }: ServiceInput,
  { parts, metrics }: Shared,
  isWellFormed: (credential: string) => boolean = () => true,
): http.HttpServer {
  const { useCase, callLimiter: keys, failedKeyLimiter: failedKeys, middleware } = parts;
  const { CORS_ORIGINS: origins, DOCS, IDLE_TIMEOUT, SHUTDOWN_TIMEOUT, TRUSTED_PROXIES } = settings;
  const { inFlight, maxConnections } = loadOf('callers', settings);
  const refused = overloadLog('callers', log, metrics.overload('callers'));
  const slots = new http.Slots(inFlight, refused);
  const requestLog = httpLog(log, lines, 'info', metrics.answered('callers'));
  const calls = new http.Calls({ log: requestLog, proxies: TRUSTED_PROXIES });
  const app = http.application({
    calls,
    slots,
    isWellFormed,
    middleware,
    origins,
    useCase,
    limits: { keys, failedKeys },
    pages: interfacePages({ docs: DOCS === 'on' }),
  });
  const server = new http.HttpServer(app.callback(), {
    calls,
    slots,
    limits: { keepAliveTimeout: IDLE_TIMEOUT },
    maxConnections,
    connectionRefused: () => refused('connections'),
  });
  metrics.watch('callers', { server, slots, maxConnections });
  void aborted(life.ending).then(() => {
    calls.draining = true;
  });
  const drain = async () => {
    const unfinished = await server.drain(SHUTDOWN_TIMEOUT);
    if (unfinished > 0) life.reportHung('http', 'requests were unfinished and got 503', { unfinished });
  };
  life.atEnd('http', drain, SHUTDOWN_TIMEOUT + drainGrace);
  return server;
}

/** How long the database may take to answer for `/readyz`, in milliseconds. */
const probeTimeout = 1_000;

/** Health, metrics and the page for operators, on a listener of their own. */
export function opsListener(
  { settings, version, log, lines, registry, life }: ServiceInput,
  { parts, metrics }: Shared,
  database?: DatabaseAccess,
): http.HttpServer {
  const probe = database && openProbe(database.address('service'), probeTimeout);
  if (probe) life.atEnd('probe', probe.close);
  const readiness = readinessOf(async () => (await probe?.ask()) ?? {}, life.ending);

  serviceMetrics(registry, version, readiness, probe);
  const { contentType } = registry;
  const merged = () => Registry.merge([registry, parts.metrics]);
  try {
    merged();
  } catch (error) {
    throw new ClearError(`tokens.metrics does not fit: ${(error as Error).message}`);
  }
  const scrape: http.Page = async () => ({ status: 200, contentType, body: await merged().metrics() });

  // Health checks call every second: their lines are at `debug`.
  const requestLog = httpLog(log, lines, 'debug', metrics.answered('operators'));
  const { inFlight, maxConnections } = loadOf('operators', settings);
  const refused = overloadLog('operators', log, metrics.overload('operators'));
  const shared = { calls: new http.Calls({ log: requestLog }), slots: new http.Slots(inFlight, refused) };
  const app = http.opsApplication({
    ...shared,
    readiness,
    version,
    more: { ...opsPage(), '/metrics': scrape },
    names: [settings.OPS_HOST.toLowerCase(), ...settings.OPS_NAMES],
  });
  const connectionRefused = () => refused('connections');
  const server = new http.HttpServer(app.callback(), { ...shared, maxConnections, connectionRefused });
  metrics.watch('operators', { server, slots: shared.slots, maxConnections });
  life.atEnd('ops', () => server.drain(0));
  return server;
}
