import { type OperatorRefusal, operatorRefusalOf } from '../set-campaign-mirror/authorization-rules.ts';
import type { CampaignRepository } from '../set-campaign-mirror/campaign-repository.ts';
import type { Mirror } from '../set-campaign-mirror/mirror.ts';
import { Unavailable } from '../set-campaign-mirror/unavailable.ts';
import { type HostDenylist, noDeniedHosts } from '../values/host-denylist.ts';
import type { CampaignId, HistoryId } from '../values/identifiers.ts';
import { type AddressFault, mirrorAddress } from '../values/mirror-address.ts';
import type { MirrorHistory } from './mirror-history.ts';
import type { OperatorMirrors } from './operator-mirrors.ts';

/** The campaign, and the change of its mirror whose address to restore. */
export interface RestoreRequest {
  readonly campaign: CampaignId;
  readonly change: HistoryId;
  /** Which of the change's two addresses: the new one, or the one that it replaced. */
  readonly address: 'after' | 'before';
}

/** The result of a restoration. Nothing was written unless it is `restored`. */
export type Restoration =
  | { readonly kind: 'restored'; readonly mirror: Mirror }
  | { readonly kind: 'campaign-not-found' }
  | { readonly kind: 'refused'; readonly because: OperatorRefusal }
  | { readonly kind: 'change-not-found' }
  | { readonly kind: 'invalid-address'; readonly because: AddressFault };

/** The number of attempts while the campaign changes. */
const maxAttempts = 5;

/**
 * Restores an address from the history, as an act of the operator: all rules but the last apply. The address is
 * checked again, since the denied hosts can have changed.
 */
export class RestoreMirror {
  readonly #campaigns: Pick<CampaignRepository, 'find'>;
  readonly #history: Pick<MirrorHistory, 'find'>;
  readonly #mirrors: OperatorMirrors;
  readonly #deniedHosts: HostDenylist;

  constructor(
    campaigns: Pick<CampaignRepository, 'find'>,
    history: Pick<MirrorHistory, 'find'>,
    mirrors: OperatorMirrors,
    deniedHosts: HostDenylist = noDeniedHosts,
  ) {
    this.#campaigns = campaigns;
    this.#history = history;
    this.#mirrors = mirrors;
    this.#deniedHosts = deniedHosts;
  }

  /** Sets the mirror to an address of its history, which is checked again. @throws Unavailable when a port is unavailable, or the campaign changed during every attempt */
  async execute({ campaign: id, change: number, address: which }: RestoreRequest): Promise<Restoration> {
    // History rows never change, so one read is enough.
    const change = await this.#history.find(id, number);
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const campaign = await this.#campaigns.find(id);
      if (!campaign) return { kind: 'campaign-not-found' };
      const refusal = operatorRefusalOf(campaign);
      if (refusal) return { kind: 'refused', because: refusal };

      if (!change) return { kind: 'change-not-found' };
      const recorded = which === 'after' ? change.addressAfter : change.addressBefore;
      const address = mirrorAddress(recorded, this.#deniedHosts);
      if (typeof address !== 'string') return { kind: 'invalid-address', because: address.fault };

      const mirror = await this.#mirrors.setMirror(campaign, { address, change: change.id });
      if (mirror) return { kind: 'restored', mirror };
    }
    throw new Unavailable('the campaign changed each time that it was judged');
  }
}
