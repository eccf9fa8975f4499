import { SetCampaignMirror } from '@campaign-mirror/domain';
import { ContainerModule } from 'inversify';
import { openIdentity } from '../http/identity.ts';
import { type ModuleInput, parts, tokens } from './tokens.ts';

/** The use case and its two ports: the campaigns, and how callers are identified. */
export const useCaseModule = ({ settings, log, registry, life }: ModuleInput) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.campaignRepository).toResolvedValue(({ campaigns }) => campaigns, [parts.hotPath]);
    // The identity of this module sets both. Another one decides by itself what is well-formed.
    let isWellFormed: (credential: string) => boolean = () => true;
    let acceptsKeys = false;
    bind(tokens.identity).toDynamicValue(async (context) => {
      acceptsKeys = settings.IDENTITY !== 'jwt';
      const keys = acceptsKeys ? (await context.getAsync(parts.hotPath)).identity : undefined;
      const opened = await openIdentity(settings, keys, log, registry, life);
      isWellFormed = opened.isWellFormed;
      return opened.identity;
    });
    bind(tokens.credentialForm).toConstantValue({});
    bind(parts.isWellFormed).toResolvedValue((_) => isWellFormed, [tokens.identity]);
    bind(parts.acceptsKeys).toResolvedValue((_) => acceptsKeys, [tokens.identity]);
    bind(parts.setCampaignMirror).toResolvedValue(
      (campaigns, identity, denied) => new SetCampaignMirror(campaigns, identity, denied),
      [tokens.campaignRepository, tokens.identity, parts.deniedHosts],
    );
  });
