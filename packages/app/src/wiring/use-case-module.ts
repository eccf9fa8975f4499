import { SetCampaignMirror } from '@campaign-mirror/domain';
import { ContainerModule } from 'inversify';
import { issuerObserver, openIdentity } from '../http/identity.ts';
import { issuerMetrics } from '../metrics/service-metrics.ts';
import { type Given, tokens } from './tokens.ts';

/** How callers are known, by access keys or tokens, and the use case. */
export const useCaseModule = ({ settings, log, registry }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.identity).toResolvedValue(
      async ({ identity: keys }) => {
        // The metrics of tokens are absent where none are accepted.
        const { IDENTITY } = settings;
        if (IDENTITY === 'keys') return openIdentity(settings, keys);
        return openIdentity(settings, keys, issuerObserver(log, issuerMetrics(registry, IDENTITY)));
      },
      [tokens.hotPath],
    );
    bind(tokens.setCampaignMirror).toResolvedValue(
      ({ campaigns }, { identity }) =>
        new SetCampaignMirror(campaigns, identity, settings.MIRROR_HOST_DENYLIST),
      [tokens.hotPath, tokens.identity],
    );
  });
