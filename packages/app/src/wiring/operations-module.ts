import { Calls, HttpServer, type OpsAnswer, operatorsApplication } from '@campaign-mirror/adapters-http';
import { openProbe } from '@campaign-mirror/adapters-persistence';
import { ContainerModule } from 'inversify';
import { Registry } from 'prom-client';
import { httpLog } from '../http/http-log.ts';
import { capacityOf } from '../http/listening.ts';
import { serviceMetrics } from '../metrics/service-metrics.ts';
import { opsPage } from '../ops-page/page.ts';
import { readinessOf } from '../process/readiness.ts';
import { version } from '../process/version.ts';
import { type ModuleInput, parts, tokens } from './tokens.ts';

/** How long the database may take to answer for `/readyz`, in milliseconds. */
const probeTimeout = 1_000;

/** Health, metrics and the page for operators, on a listener of their own. */
export const operationsModule = ({ settings, log, lines, registry, life }: ModuleInput) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.metrics).toConstantValue(new Registry());
    bind(parts.ops).toResolvedValue(
      async (database, metrics, { lists }, more) => {
        const probe = database && openProbe(database.address('service'), probeTimeout);
        if (probe) life.atEnd('probe', probe.close);
        const readiness = readinessOf(async () => (await probe?.ask()) ?? {}, life.ending);

        const page = opsPage({ readiness, version: version(), lists });

        const expiringKeys = async () => {
          const { keys } = await lists();
          return keys ? (keys[0]?.soon ?? 0) : undefined;
        };
        serviceMetrics(registry, readiness, probe && { probe, expiringKeys });
        const { contentType } = registry;
        const metricsNow = () => Registry.merge([registry, more]).metrics();
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
      [parts.openedDatabase, parts.httpMetrics, parts.pageData, tokens.metrics],
    );
  });
