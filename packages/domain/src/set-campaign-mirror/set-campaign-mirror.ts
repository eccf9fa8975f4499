import { type HostDenylist, noDeniedHosts } from '../values/host-denylist.ts';
import type { CampaignId } from '../values/identifiers.ts';
import { type AddressFault, mirrorAddress } from '../values/mirror-address.ts';
import { type Refusal, refusalOf } from './authorization-rules.ts';
import type { CallLimit } from './call-limit.ts';
import type { Caller } from './caller.ts';
import type { Campaign } from './campaign.ts';
import type { CampaignRepository } from './campaign-repository.ts';
import type { Identity } from './identity.ts';
import type { Mirror } from './mirror.ts';
import { Unavailable } from './unavailable.ts';

/** What a caller submits (contract: the call). */
export interface SetMirrorRequest {
  /** What the caller was identified by; secret. */
  readonly credential: string;
  /** Undefined if the submitted identifier cannot be a campaign's. */
  readonly campaign: CampaignId | undefined;
  /** Undefined if the submitted body contains no address. */
  readonly address: string | undefined;
  /** Links the history row to the log lines of the request: 1 to 128 visible ASCII characters. */
  readonly requestId: string;
}

/** The result of a call (contract: answers). Nothing was written unless it is `mirror-set`. */
export type Outcome =
  | { readonly kind: 'mirror-set'; readonly mirror: Mirror }
  /** `because` is for the log only. */
  | { readonly kind: 'unauthenticated'; readonly because?: string }
  | { readonly kind: 'over-limit' }
  | { readonly kind: 'campaign-not-found' }
  | { readonly kind: 'refused'; readonly because: Refusal }
  | { readonly kind: 'no-address' }
  | { readonly kind: 'invalid-address'; readonly because: AddressFault };

/** What a request is judged on: the caller and the campaign. */
interface Facts {
  readonly caller: Caller | undefined;
  readonly campaign: Campaign | undefined;
}

/** The number of times a request is judged, at most, if its campaign changes between the judgement and the write. */
const maxAttempts = 5;

/**
 * Sets the mirror of a campaign (contract: the call).
 *
 * A known caller is judged on a hypothesis: that the campaign satisfies the rules. The write checks the hypothesis and
 * the caller's access key, or returns the actual campaign, which is then judged. Most requests therefore take one call of the
 * repository. Only a write can rest on a hypothesis: every refusal is based on facts read for the request.
 *
 * A caller that is not allowed to set the mirror learns nothing about what it submitted (contract: order of checks).
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

  /**
   * `limit` counts the call once its caller is known.
   * @throws Unavailable when a port is unavailable, or when the campaign changed after each judgement
   */
  async execute(request: SetMirrorRequest, limit?: CallLimit): Promise<Outcome> {
    const { requestId } = request;
    const address = this.#judgeAddress(request.address);
    const hoped = typeof address === 'string' ? await this.#hypothesis(request) : undefined;
    let facts: Facts = hoped ?? (await this.#read(request));
    if (limit && facts.caller && !(await limit.admits(facts.caller))) {
      // Only valid credentials learn the limit, and that of a hypothesis has not been checked yet.
      const caller = hoped ? await this.#identity.whoIs(request.credential) : facts.caller;
      return caller ? { kind: 'over-limit' } : this.#unauthenticated(request);
    }

    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { caller, campaign } = facts;
      if (!caller) return this.#unauthenticated(request);
      if (!campaign) return { kind: 'campaign-not-found' };
      const refusal = refusalOf(campaign, caller);
      if (refusal) return { kind: 'refused', because: refusal };
      if (typeof address !== 'string') return address;

      const result = await this.#campaigns.setMirror(campaign, { address, by: caller, requestId });
      if (result.kind === 'mirror-set') return result;
      facts =
        result.kind === 'caller-invalid' ? await this.#read(request) : { caller, campaign: result.campaign };
    }
    throw new Unavailable('the campaign changed each time that it was judged');
  }

  async #unauthenticated({ credential }: SetMirrorRequest): Promise<Outcome> {
    const because = await this.#identity.whyNot?.(credential);
    return { kind: 'unauthenticated', ...(because && { because }) };
  }

  /** The address, or the outcome for an invalid one. */
  #judgeAddress(submitted: string | undefined) {
    if (submitted === undefined) return { kind: 'no-address' } as const;
    const address = mirrorAddress(submitted, this.#deniedHosts);
    return typeof address === 'string'
      ? address
      : ({ kind: 'invalid-address', because: address.fault } as const);
  }

  /** The presumed caller and a campaign that satisfies all rules; undefined if nothing can be assumed. */
  async #hypothesis({ credential, campaign: id }: SetMirrorRequest): Promise<Facts | undefined> {
    const caller = id && (await this.#identity.claimedBy(credential));
    if (!caller) return undefined;
    const campaign = { id, ownerId: caller.ownerId, isDefault: false, hasMirror: true };
    return refusalOf(campaign, caller) ? undefined : { caller, campaign };
  }

  /** Reads both at the same time. A failure to read the campaign does not hide an invalid credential. */
  async #read({ credential, campaign: id }: SetMirrorRequest): Promise<Facts> {
    const finding = id === undefined ? undefined : this.#campaigns.find(id);
    finding?.catch(() => {});
    const caller = await this.#identity.whoIs(credential);
    return { caller, campaign: caller && (await finding) };
  }
}
