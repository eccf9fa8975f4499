import type { AccessKey } from './access-key.ts';
import { type Refusal, refusalOf } from './authorization-rules.ts';
import type { Campaign } from './campaign.ts';
import type { CampaignRepository } from './campaign-repository.ts';
import { type HostDenylist, noDeniedHosts } from './host-denylist.ts';
import type { CampaignId } from './identifiers.ts';
import type { Identity } from './identity.ts';
import type { Mirror } from './mirror.ts';
import { type AddressFault, mirrorAddress } from './mirror-address.ts';
import { Unavailable } from './unavailable.ts';

/** What the caller submitted as the address, or why the driving adapter could not read it. */
export type Submitted<Unread> = { readonly address: string } | { readonly unread: Unread };

export interface SetMirrorRequest<Unread> {
  readonly key: AccessKey;
  /** Undefined where what the caller named can not be a campaign. */
  readonly campaign: CampaignId | undefined;
  /** It may come later: the ports are asked meanwhile, and who may not set the mirror is not made to wait for it. */
  readonly submitted: Submitted<Unread> | Promise<Submitted<Unread>>;
  readonly requestId: string;
}

export type Outcome<Unread = never> =
  | { readonly kind: 'mirror-set'; readonly mirror: Mirror }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'campaign-not-found' }
  | { readonly kind: 'refused'; readonly because: Refusal }
  | { readonly kind: 'unread'; readonly because: Unread }
  | { readonly kind: 'invalid-address'; readonly because: AddressFault };

/** How often a campaign that changes while it is judged is judged, at most. */
const judgements = 5;

/**
 * Sets the mirror of a campaign (specification, section 4).
 * A caller who may not set it learns nothing about what it submitted (decisions: order of checks).
 */
export class SetCampaignMirror {
  readonly #campaigns: CampaignRepository;
  readonly #identity: Identity;
  readonly #deniedHosts: HostDenylist;

  constructor(campaigns: CampaignRepository, identity: Identity, deniedHosts: HostDenylist = noDeniedHosts) {
    this.#campaigns = campaigns;
    this.#identity = identity;
    this.#deniedHosts = deniedHosts;
  }

  /** @throws Unavailable when a port is away, or when the campaign changed as often as it was judged */
  async execute<Unread = never>(request: SetMirrorRequest<Unread>): Promise<Outcome<Unread>> {
    // All at the same time; their answers are taken in the order of the checks.
    const finding = this.#find(request.campaign);
    const judging = this.#judge(request.submitted);
    for (const answer of [finding, judging]) answer.catch(() => {});
    const caller = await this.#identity.whoIs(request.key);
    if (!caller) return { kind: 'unauthenticated' };

    let campaign = await finding;
    for (let judged = 0; judged < judgements; judged++) {
      if (!campaign) return { kind: 'campaign-not-found' };
      const refusal = refusalOf(campaign, caller);
      if (refusal) return { kind: 'refused', because: refusal };

      const address = await judging;
      if (typeof address !== 'string') return address;

      const change = { address, by: caller, requestId: request.requestId };
      const mirror = await this.#campaigns.setMirror(campaign, change);
      if (mirror) return { kind: 'mirror-set', mirror };
      campaign = await this.#find(request.campaign);
    }
    throw new Unavailable('the campaign changed each time that it was judged');
  }

  /** The address, or what is said of one that is none. */
  async #judge<Unread>(submitted: SetMirrorRequest<Unread>['submitted']) {
    const read = await submitted;
    if ('unread' in read) return { kind: 'unread', because: read.unread } as const;
    const address = mirrorAddress(read.address, this.#deniedHosts);
    return typeof address === 'string'
      ? address
      : ({ kind: 'invalid-address', because: address.fault } as const);
  }

  async #find(id: CampaignId | undefined): Promise<Campaign | undefined> {
    return id === undefined ? undefined : this.#campaigns.find(id);
  }
}
