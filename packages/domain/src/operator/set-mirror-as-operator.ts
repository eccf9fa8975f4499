import { type OperatorRefusal, operatorRefusalOf } from '../set-campaign-mirror/authorization-rules.ts';
import type { CampaignRepository } from '../set-campaign-mirror/campaign-repository.ts';
import type { Mirror } from '../set-campaign-mirror/mirror.ts';
import { Unavailable } from '../set-campaign-mirror/unavailable.ts';
import { type HostDenylist, noDeniedHosts } from '../values/host-denylist.ts';
import type { CampaignId, HistoryId } from '../values/identifiers.ts';
import { type AddressFault, mirrorAddress } from '../values/mirror-address.ts';
import type { OperatorMirrors } from './operator-mirrors.ts';

/** The result. Nothing was written unless it is `mirror-set`. */
export type OperatorSetting =
  | { readonly kind: 'mirror-set'; readonly mirror: Mirror }
  | { readonly kind: 'campaign-not-found' }
  | { readonly kind: 'refused'; readonly because: OperatorRefusal }
  | { readonly kind: 'no-address' }
  | { readonly kind: 'invalid-address'; readonly because: AddressFault };

/** The number of attempts while the campaign changes. */
const maxAttempts = 5;

/** Sets a mirror as an act of the operator: all rules but the last apply, and those of the address. */
export class SetMirrorAsOperator {
  readonly #campaigns: Pick<CampaignRepository, 'find'>;
  readonly #mirrors: OperatorMirrors;
  readonly #deniedHosts: HostDenylist;

  constructor(
    campaigns: Pick<CampaignRepository, 'find'>,
    mirrors: OperatorMirrors,
    deniedHosts: HostDenylist = noDeniedHosts,
  ) {
    this.#campaigns = campaigns;
    this.#mirrors = mirrors;
    this.#deniedHosts = deniedHosts;
  }

  /**
   * Sets the mirror to `submitted`; `change` is the change of the history that has this address, if it is from there.
   * @throws Unavailable when a port is unavailable, or the campaign changed during every attempt
   */
  async execute(id: CampaignId, submitted: string | undefined, change?: HistoryId): Promise<OperatorSetting> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const campaign = await this.#campaigns.find(id);
      if (!campaign) return { kind: 'campaign-not-found' };
      const refusal = operatorRefusalOf(campaign);
      if (refusal) return { kind: 'refused', because: refusal };
      if (submitted === undefined) return { kind: 'no-address' };
      const address = mirrorAddress(submitted, this.#deniedHosts);
      if (typeof address !== 'string') return { kind: 'invalid-address', because: address.fault };
      const mirror = await this.#mirrors.setMirror(campaign, address, change);
      if (mirror) return { kind: 'mirror-set', mirror };
    }
    throw new Unavailable('the campaign changed each time that it was judged');
  }
}
