import { Calls, HttpServer, operatorsApplication, standingHeaders } from '@campaign-mirror/adapters-http';
import { openProbe } from '@campaign-mirror/adapters-persistence';
import { ContainerModule } from 'inversify';
import { httpLog } from '../listeners/http-log.ts';
import { operatorsCapacity } from '../listeners/listener-limits.ts';
import { httpGauges } from '../metrics/http-counts.ts';
import { metricsPage } from '../metrics/scrape.ts';
import { serviceSource } from '../metrics/service-source.ts';
import { opsPage } from '../ops-page/answers.ts';
import { momentOf } from '../ops-page/moment.ts';
import { pageFaults, recentMoments } from '../ops-page/recent-moments.ts';
import { Readiness } from '../process/readiness.ts';
import { version } from '../process/version.ts';
import { type Given, tokens } from './tokens.ts';

/** The health of a single process. */
export const ownHealthModule = new ContainerModule(({ bind }) => {
  bind(tokens.health).toResolvedValue(
    (readiness) => ({ readiness: () => readiness.checks(), liveness: () => ({}) }),
    [tokens.readiness],
  );
});

/** The page for operators, which records the last minutes from now on. */
export const opsPageModule = ({ settings, log }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.recentMoments)
      .toResolvedValue(
        (scrape) => {
          const recent = recentMoments(async () => momentOf(await scrape.counted()), pageFaults(log));
          if (settings.METRICS === 'on') recent.start();
          return recent;
        },
        [tokens.scrape],
      )
      .onDeactivation((recent) => recent.stop());
    bind(tokens.opsPage).toResolvedValue(
      (health, recent) => opsPage(health, recent, settings.METRICS === 'on', pageFaults(log)),
      [tokens.health, tokens.recentMoments],
    );
  });

/** The listener for operators. */
export const opsModule = ({ settings, log, lines }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.probe)
      .toResolvedValue(
        (access) =>
          openProbe(access.address('service'), {
            timeout: settings.READINESS_TIMEOUT,
            statementTimeout: settings.STATEMENT_TIMEOUT > 0,
          }),
        [tokens.access],
      )
      .onDeactivation((probe) => probe.close());
    bind(tokens.readiness).toResolvedValue((probe) => new Readiness(() => probe.ask()), [tokens.probe]);
    bind(tokens.ops)
      .toResolvedValue(
        (health, meters, scrape, probe, page) => {
          // Health checks call every second: at `debug`.
          const httpLines = httpLog(log, lines, 'debug', meters.operators);
          const calls = new Calls({ log: httpLines });
          const capacity = operatorsCapacity(log);
          const shared = { calls, log: httpLines, capacity };
          const metrics = settings.METRICS === 'on' ? { '/metrics': metricsPage(scrape, log) } : {};
          const { readiness, liveness } = health;
          const more = { ...page, ...metrics };
          const app = operatorsApplication({ ...shared, readiness, liveness, version: version(), more });
          const server = new HttpServer(app.callback(), { ...shared, headers: standingHeaders({}) });
          meters.add(httpGauges('operators', server, capacity));
          scrape.add(serviceSource(health, probe));
          return server;
        },
        [tokens.health, tokens.meters, tokens.scrape, tokens.probe, tokens.opsPage],
      )
      .onDeactivation(async (ops) => void (await ops.drain(0)));
  });
