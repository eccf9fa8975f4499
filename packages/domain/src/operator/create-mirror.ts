import { type HostDenylist, noDeniedHosts } from '../values/host-denylist.ts';
import type { CampaignId } from '../values/identifiers.ts';
import { type AddressFault, mirrorAddress } from '../values/mirror-address.ts';
import type { CampaignSettings, MirrorCreation } from './campaign-settings.ts';

/** The result of creating a mirror with a submitted address. */
export type CreateMirrorOutcome =
  | MirrorCreation
  | { readonly kind: 'invalid-address'; readonly because: AddressFault };

/**
 * Creates the mirror of a campaign in its settings. The address rules of the interface apply (contract: the address).
 */
export class CreateMirror {
  readonly #settings: Pick<CampaignSettings, 'createMirror'>;
  readonly #deniedHosts: HostDenylist;

  constructor(settings: Pick<CampaignSettings, 'createMirror'>, deniedHosts: HostDenylist = noDeniedHosts) {
    this.#settings = settings;
    this.#deniedHosts = deniedHosts;
  }

  /** Checks the address, then creates the mirror. @throws Unavailable when the settings are unavailable */
  async execute(campaign: CampaignId, submitted: string): Promise<CreateMirrorOutcome> {
    const address = mirrorAddress(submitted, this.#deniedHosts);
    if (typeof address !== 'string') return { kind: 'invalid-address', because: address.fault };
    return this.#settings.createMirror(campaign, address);
  }
}
