import {
  application,
  Calls,
  HttpServer,
  headersOfRefusals,
  timeLimits,
} from '@campaign-mirror/adapters-http';
import { interfacePages } from '@campaign-mirror/adapters-http/docs';
import { ContainerModule } from 'inversify';
import { capacityOf } from '../http/capacity.ts';
import { httpLog, tellOfUnfinished } from '../http/http-log.ts';
import { openLimits } from '../http/limiters.ts';
import { httpMetrics } from '../metrics/http-metrics.ts';
import { aborted } from '../process/life.ts';
import { type Given, tokens } from './tokens.ts';

/** How often keys and addresses may call, and the callers' listener. */
export const httpModule = ({ settings, log, lines, registry, life }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.httpMetrics).toResolvedValue(() => httpMetrics(registry), []);
    bind(tokens.http).toResolvedValue(
      async (useCase, { isWellFormed }, metrics, { demonstration: campaign }) => {
        const limits = await openLimits(settings, log);
        life.atEnd('limits', limits.close);
        const capacity = capacityOf('callers', settings, log, metrics.overload('callers'));
        const requestLog = httpLog(log, lines, 'info', metrics.answered('callers'));
        const calls = new Calls({ log: requestLog, proxies: settings.TRUSTED_PROXIES });
        const shared = { calls, log: requestLog, capacity };
        const pages = interfacePages({ docs: settings.DOCS === 'on', campaign });
        const { CORS_ORIGINS: origins } = settings;
        const app = application({ ...shared, origins, useCase, isWellFormed, limits, pages });
        const server = new HttpServer(app.callback(), {
          ...shared,
          headers: headersOfRefusals({ origins }),
          limits: { ...timeLimits, keepAliveTimeout: settings.IDLE_TIMEOUT },
        });
        metrics.watch('callers', { server, capacity });
        void aborted(life.ending).then(() => server.startDraining());
        const drain = async () => tellOfUnfinished(await server.drain(settings.SHUTDOWN_TIMEOUT), life);
        life.atEnd('http', drain, settings.SHUTDOWN_TIMEOUT + drainGrace);
        return server;
      },
      [tokens.setCampaignMirror, tokens.identity, tokens.httpMetrics, tokens.pageData],
    );
  });

/** For the last answers after SHUTDOWN_TIMEOUT, in milliseconds. */
const drainGrace = 3_000;
