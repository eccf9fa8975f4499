import {
  application,
  Calls,
  HttpServer,
  headersOfRefusals,
  timeLimits,
} from '@campaign-mirror/adapters-http';
import { interfacePages } from '@campaign-mirror/adapters-http/docs';
import { ContainerModule } from 'inversify';
import { httpLog, logUnfinished } from '../http/http-log.ts';
import { openLimits } from '../http/limiters.ts';
import { capacityOf } from '../http/listening.ts';
import { httpMetrics } from '../metrics/http-metrics.ts';
import { aborted } from '../process/life.ts';
import { type ModuleInput, parts, tokens } from './tokens.ts';

/** How often keys and addresses may call, and the callers' listener. */
export const httpModule = ({ settings, log, lines, registry, life }: ModuleInput) =>
  new ContainerModule(({ bind }) => {
    bind(parts.httpMetrics).toResolvedValue(() => httpMetrics(registry), []);
    bind(parts.limits).toResolvedValue(async () => {
      const limits = await openLimits(settings, log);
      life.atEnd('limits', limits.close);
      return limits;
    }, []);
    bind(tokens.callLimiter).toResolvedValue(({ keys }) => keys, [parts.limits]);
    bind(tokens.failedKeyLimiter).toResolvedValue(({ failedKeys }) => failedKeys, [parts.limits]);
    bind(parts.http).toResolvedValue(
      (useCase, form, keys, failedKeys, metrics, { demonstration: campaign }) => {
        const capacity = capacityOf('callers', settings, log, metrics.overload('callers'));
        const requestLog = httpLog(log, lines, 'info', metrics.answered('callers'));
        const calls = new Calls({ log: requestLog, proxies: settings.TRUSTED_PROXIES });
        const shared = { calls, log: requestLog, capacity };
        const pages = interfacePages({ docs: settings.DOCS === 'on', campaign });
        const { CORS_ORIGINS: origins } = settings;
        const app = application({
          ...shared,
          ...form,
          origins,
          useCase,
          limits: { keys, failedKeys },
          pages,
        });
        const server = new HttpServer(app.callback(), {
          ...shared,
          headers: headersOfRefusals({ origins }),
          limits: { ...timeLimits, keepAliveTimeout: settings.IDLE_TIMEOUT },
        });
        metrics.watch('callers', { server, capacity });
        void aborted(life.ending).then(() => server.startDraining());
        const drain = async () => logUnfinished(await server.drain(settings.SHUTDOWN_TIMEOUT), life);
        life.atEnd('http', drain, settings.SHUTDOWN_TIMEOUT + drainGrace);
        return server;
      },
      [
        parts.setCampaignMirror,
        tokens.credentialForm,
        tokens.callLimiter,
        tokens.failedKeyLimiter,
        parts.httpMetrics,
        parts.pageData,
      ],
    );
  });

/** For the last answers after SHUTDOWN_TIMEOUT, in milliseconds. */
const drainGrace = 3_000;
