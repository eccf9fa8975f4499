import {
  AnswerHeaders,
  HttpServer,
  interfacePages,
  koaHandler,
  noProxies,
  Replies,
} from '@campaign-mirror/adapters-http';
import { SetCampaignMirror } from '@campaign-mirror/domain';
import { ContainerModule } from 'inversify';
import { limitsLog } from '../limits/counting-limiter.ts';
import type { CountsOf } from '../limits/counts.ts';
import { openLimits } from '../limits/open-limits.ts';
import { httpLog, tellOfUnfinished } from '../listeners/http-log.ts';
import { callersCapacity, callersDeadlines } from '../listeners/listener-limits.ts';
import { httpGauges } from '../metrics/http-counts.ts';
import { type Given, tokens } from './tokens.ts';

/** How often keys and addresses may call. `shared`: where all processes count together. */
export const limitsModule = ({ settings, log }: Given, shared?: CountsOf) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.limits)
      .toResolvedValue(() => openLimits(settings, limitsLog(log), shared), [])
      .onDeactivation((limits) => limits.close());
  });

/** The use case, and the callers' HTTP listener, which drains when this is unloaded. */
export const callersModule = ({ settings, log, lines, life }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.setCampaignMirror).toResolvedValue(
      (campaigns, identity) => new SetCampaignMirror(campaigns, identity, settings.MIRROR_HOST_DENYLIST),
      [tokens.campaigns, tokens.identity],
    );
    bind(tokens.http)
      .toResolvedValue(
        (useCase, { isWellFormed }, { keys, failedKeys }, meters, traces) => {
          const replies = new Replies({ retryAfter: settings.RETRY_AFTER });
          const capacity = callersCapacity(settings, log);
          const shared = { replies, capacity, log: httpLog(log, lines), bodyLimit: settings.BODY_LIMIT };
          const { HSTS_SECONDS: hstsSeconds, CORS_ORIGINS: origins = [] } = settings;
          const limits = { ...(keys && { keys }), ...(failedKeys && { failedKeys }) };
          const pages = interfacePages(replies, settings.BODY_LIMIT, { docs: settings.DOCS === 'on' });
          const server = new HttpServer(
            {
              ...shared,
              ...(traces && { traces: traces.requests }),
              observer: meters.callers,
              proxies: settings.TRUSTED_PROXIES ?? noProxies,
              deadlines: callersDeadlines(settings),
              answerHeaders: new AnswerHeaders({ hstsSeconds, origins }),
            },
            koaHandler({ ...shared, useCase, isWellFormed, limits, pages }),
          );
          meters.add(httpGauges('callers', server, capacity));
          return server;
        },
        [tokens.setCampaignMirror, tokens.openIdentity, tokens.limits, tokens.meters, tokens.traces],
      )
      .onDeactivation(async (http) => {
        await http.drain(settings.SHUTDOWN_TIMEOUT, {
          letIdleAsk: life.isRelieved,
          onGivenUp: (left) => tellOfUnfinished(left, life),
        });
      });
  });
