import { application, Calls, HttpServer } from '@campaign-mirror/adapters-http';
import { interfacePages } from '@campaign-mirror/adapters-http/docs';
import { ContainerModule } from 'inversify';
import { httpLog } from '../http/http-log.ts';
import { openLimits } from '../http/limiters.ts';
import { capacityOf } from '../http/listening.ts';
import { httpMetrics } from '../metrics/http-metrics.ts';
import { aborted } from '../process/life.ts';
import { type ModuleInput, parts, tokens } from './tokens.ts';

/** How long the last answers may take after SHUTDOWN_TIMEOUT, in milliseconds. */
const drainGrace = 3_000;

/** The limits for keys and addresses, and the listener for callers. */
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
    bind(tokens.middleware).toConstantValue([]);
    bind(parts.http).toResolvedValue(
      (useCase, form, isWellFormed, keys, failedKeys, middleware, metrics, pageData) => {
        const { CORS_ORIGINS: origins, DOCS, IDLE_TIMEOUT, SHUTDOWN_TIMEOUT, TRUSTED_PROXIES } = settings;
        const capacity = capacityOf('callers', settings, log, metrics.overload('callers'));
        const requestLog = httpLog(log, lines, 'info', metrics.answered('callers'));
        const calls = new Calls({ log: requestLog, proxies: TRUSTED_PROXIES });
        const app = application({
          calls,
          capacity,
          credentialHeader: form.credentialHeader,
          isWellFormed: form.isWellFormed ?? isWellFormed,
          middleware,
          origins,
          useCase,
          limits: { keys, failedKeys },
          pages: interfacePages({ docs: DOCS === 'on', campaign: pageData.demonstration }),
        });
        const server = new HttpServer(app.callback(), {
          calls,
          capacity,
          limits: { keepAliveTimeout: IDLE_TIMEOUT },
          origins,
        });
        metrics.watch('callers', { server, capacity });
        void aborted(life.ending).then(() => {
          calls.draining = true;
        });
        const drain = async () => {
          const { length: unfinished } = await server.drain(SHUTDOWN_TIMEOUT);
          if (unfinished > 0) life.reportHung('http', 'requests were unfinished and got 503', { unfinished });
        };
        life.atEnd('http', drain, SHUTDOWN_TIMEOUT + drainGrace);
        return server;
      },
      [
        parts.setCampaignMirror,
        tokens.credentialForm,
        parts.isWellFormed,
        tokens.callLimiter,
        tokens.failedKeyLimiter,
        tokens.middleware,
        parts.httpMetrics,
        parts.pageData,
      ],
    );
  });
