import {
  application,
  Calls,
  HttpServer,
  interfacePages,
  standingHeaders,
} from '@campaign-mirror/adapters-http';
import { SetCampaignMirror } from '@campaign-mirror/domain';
import { ContainerModule } from 'inversify';
import { limitsLog } from '../limits/counting-limiter.ts';
import type { CountsOf } from '../limits/counts.ts';
import { openLimits } from '../limits/open-limits.ts';
import { httpLog, tellOfUnfinished } from '../listeners/http-log.ts';
import { callersCapacity, callersTimeLimits } from '../listeners/listener-limits.ts';
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
          const capacity = callersCapacity(settings, log);
          const headers = { hstsSeconds: settings.HSTS_SECONDS, origins: settings.CORS_ORIGINS };
          const httpLines = httpLog(log, lines, 'info', meters.callers);
          const { TRUSTED_PROXIES: proxies, ANSWER_TIMEOUT: answerTimeout, BODY_LIMIT: bodyLimit } = settings;
          const calls = new Calls({ log: httpLines, proxies, answerTimeout });
          const shared = { calls, log: httpLines, capacity };
          const pages = interfacePages({ docs: settings.DOCS === 'on' });
          const limits = { keys, failedKeys };
          const before = traces ? [traces.requests] : [];
          const route = { useCase, isWellFormed, bodyLimit, limits };
          const app = application({ ...shared, ...headers, ...route, before, pages });
          const server = new HttpServer(app.callback(), {
            ...shared,
            headers: standingHeaders(headers),
            limits: callersTimeLimits(settings),
          });
          meters.add(httpGauges('callers', server, capacity));
          return server;
        },
        [tokens.setCampaignMirror, tokens.openIdentity, tokens.limits, tokens.meters, tokens.traces],
      )
      .onDeactivation(async (http) => {
        tellOfUnfinished(await http.drain(settings.SHUTDOWN_TIMEOUT), life);
      });
  });
