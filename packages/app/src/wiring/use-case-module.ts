import { SetCampaignMirror } from '@campaign-mirror/domain';
import { ContainerModule } from 'inversify';
import { openIdentity } from '../http/identity.ts';
import { type CredentialForm, type ModuleInput, parts, tokens } from './tokens.ts';

/** The use case and its two ports: the campaigns, and how callers are identified. */
export const useCaseModule = ({ settings, log, registry }: ModuleInput) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.campaignRepository).toResolvedValue(({ campaigns }) => campaigns, [parts.hotPath]);
    // The identity of this module sets both. Another one decides by itself what is well-formed.
    let form: CredentialForm = { isWellFormed: () => true };
    let acceptsKeys = false;
    bind(tokens.identity).toDynamicValue(async (context) => {
      acceptsKeys = settings.IDENTITY !== 'jwt';
      const keys = acceptsKeys ? (await context.getAsync(parts.hotPath)).identity : undefined;
      const { identity, isWellFormed } = await openIdentity(settings, keys, log, registry);
      form = { isWellFormed };
      return identity;
    });
    bind(tokens.credentialForm).toResolvedValue((_) => form, [tokens.identity]);
    bind(parts.acceptsKeys).toResolvedValue((_) => acceptsKeys, [tokens.identity]);
    bind(parts.setCampaignMirror).toResolvedValue(
      (campaigns, identity, denied) => new SetCampaignMirror(campaigns, identity, denied),
      [tokens.campaignRepository, tokens.identity, parts.deniedHosts],
    );
  });
