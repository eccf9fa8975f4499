import { SetCampaignMirror } from '@campaign-mirror/domain';
import { ContainerModule } from 'inversify';
import { issuerObserver, openIdentity } from '../http/identity.ts';
import { issuerMetrics } from '../metrics/service-metrics.ts';
import { type CredentialForm, type ModuleInput, parts, tokens } from './tokens.ts';

/** How callers are known, by access keys or tokens, and the use case. */
export const useCaseModule = ({ settings, log, registry }: ModuleInput) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.campaignRepository).toResolvedValue(({ campaigns }) => campaigns, [parts.hotPath]);
    // These are of the identity below: another one reads its credentials by itself.
    let form: CredentialForm = { isWellFormed: () => true };
    let knowsKeys = false;
    bind(tokens.identity).toDynamicValue(async (context) => {
      const { IDENTITY } = settings;
      knowsKeys = IDENTITY !== 'jwt';
      const keys = knowsKeys ? (await context.getAsync(parts.hotPath)).identity : undefined;
      // The metrics of tokens are absent where none are accepted.
      const observer =
        IDENTITY === 'keys' ? undefined : issuerObserver(log, issuerMetrics(registry, IDENTITY));
      const { identity, isWellFormed } = await openIdentity(settings, keys, observer);
      form = { isWellFormed };
      return identity;
    });
    bind(tokens.credentialForm).toResolvedValue((_) => form, [tokens.identity]);
    bind(parts.knowsKeys).toResolvedValue((_) => knowsKeys, [tokens.identity]);
    bind(parts.setCampaignMirror).toResolvedValue(
      (campaigns, identity) => new SetCampaignMirror(campaigns, identity, settings.MIRROR_HOST_DENYLIST),
      [tokens.campaignRepository, tokens.identity],
    );
  });
