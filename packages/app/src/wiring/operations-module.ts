import { Calls, HttpServer, type OpsAnswer, operatorsApplication } from '@campaign-mirror/adapters-http';
import { openProbe } from '@campaign-mirror/adapters-persistence';
import { ContainerModule } from 'inversify';
import { Registry } from 'prom-client';
import { httpLog } from '../http/http-log.ts';
import { capacityOf } from '../http/listening.ts';
import { throttled } from '../logging/log-events.ts';
import { serviceMetrics } from '../metrics/service-metrics.ts';
import { opsPage } from '../ops-page/page.ts';
import { recentMoments } from '../ops-page/recent.ts';
import { readinessOf } from '../process/readiness.ts';
import { version } from '../process/version.ts';
import { type ModuleInput, parts } from './tokens.ts';

/** How long the database may take to answer for `/readyz`, in milliseconds. */
const probeTimeout = 1_000;

/** Health, metrics and the page for operators, on a listener of their own. */
export const operationsModule = ({ settings, log, lines, registry, life }: ModuleInput) =>
  new ContainerModule(({ bind }) => {
    bind(parts.ops).toResolvedValue(
      async (database, metrics, { lists }) => {
        const probe = database && openProbe(database.address('service'), probeTimeout);
        if (probe) life.atEnd('probe', probe.close);
        const readiness = readinessOf(async () => (await probe?.ask()) ?? {}, life.ending);

        const report = throttled(log, 'error');
        const recent = recentMoments(
          () => registry.getMetricsAsJSON(),
          (error) => report({ event: 'page-failed', err: error }, 'the metrics cannot be read'),
        );
        recent.start();
        const page = opsPage({ readiness, version: version(), recent, lists });

        // These metrics ask the database: they are not in the registry that the page reads every 5 s.
        const databaseRegistry = new Registry();
        serviceMetrics(databaseRegistry, readiness, probe && { probe, lists });
        const { contentType } = registry;
        const metricsNow = () => Registry.merge([registry, databaseRegistry]).metrics();
        const scrape: OpsAnswer = async () => ({ status: 200, contentType, body: await metricsNow() });

        // Health checks call every second: their lines are at `debug`.
        const requestLog = httpLog(log, lines, 'debug', metrics.answered('operators'));
        const capacity = capacityOf('operators', settings, log, metrics.overload('operators'));
        const shared = { calls: new Calls({ log: requestLog }), capacity };
        const app = operatorsApplication({
          ...shared,
          readiness,
          version: version(),
          more: { ...page, '/metrics': scrape },
          names: [settings.OPS_HOST.toLowerCase(), ...settings.OPS_NAMES],
        });
        const server = new HttpServer(app.callback(), shared);
        metrics.watch('operators', { server, capacity });
        life.atEnd('ops', () => server.drain(0));
        return server;
      },
      [parts.openedDatabase, parts.httpMetrics, parts.pageData],
    );
  });
