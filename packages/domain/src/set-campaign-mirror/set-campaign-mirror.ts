import {
  accessKeyOf,
  type CampaignId,
  campaignId,
  isCallersSubject,
  isRequestId,
  ownerId,
  type Subject,
} from '../values/identifiers.ts';
import {
  type AddressFault,
  type HostDenylist,
  mirrorAddress,
  noDeniedHosts,
} from '../values/mirror-address.ts';
import { type Campaign, type CampaignRepository, type Mirror, Unavailable } from './campaign-repository.ts';
import { type Caller, type CallLimit, type Identified, type Identity, isCaller } from './identity.ts';

/** The rules that apply to everyone, including the operator. */
const campaignRules = [
  {
    refusal: 'mirror-not-created',
    rule: 'The mirror must already have been created in the campaign settings before it can be updated through this interface.',
    holds: (campaign: Campaign) => campaign.hasMirror,
  },
  {
    refusal: 'default-campaign',
    rule: 'The mirror of the default campaign cannot be updated.',
    holds: (campaign: Campaign) => !campaign.isDefault,
  },
] as const;

/** The three rules (contract: rules), in order. */
export const authorizationRules = [
  ...campaignRules,
  {
    refusal: 'not-the-owner',
    rule: 'Only the owner of the campaign may update its mirror.',
    holds: (campaign: Campaign, caller: Caller) => campaign.ownerId === caller.ownerId,
  },
] as const;

/** Why a caller is not allowed to set the mirror: the first rule that does not hold. */
export type Refusal = (typeof authorizationRules)[number]['refusal'];

/** Why even the operator is not allowed to. The last rule does not apply: the operator does not own campaigns. */
export type OperatorRefusal = (typeof campaignRules)[number]['refusal'];

/** The first rule that does not hold for this caller and campaign, or undefined when all hold. */
export function refusalOf(campaign: Campaign, caller: Caller): Refusal | undefined {
  return authorizationRules.find((rule) => !rule.holds(campaign, caller))?.refusal;
}

/** The same for an act of the operator. */
export function operatorRefusalOf(campaign: Campaign): OperatorRefusal | undefined {
  return campaignRules.find((rule) => !rule.holds(campaign))?.refusal;
}

/** What a caller submits (contract: the call). */
export interface SetMirrorRequest {
  /** What the caller was identified by; secret. */
  readonly credential: string;
  /** What `claimedBy` said of the credential, if it was asked before. */
  readonly claim?: Identified;
  /** Undefined if the submitted identifier cannot be a campaign's. */
  readonly campaign: CampaignId | undefined;
  /** Undefined if the submitted body contains no address. */
  readonly address: string | undefined;
  /** Links the history row to the log lines of the request: 1 to 128 visible ASCII characters (`isRequestId`). */
  readonly requestId: string;
}

/** The result of a call (contract: answers). Nothing was written unless it is `mirror-set`. */
export type Outcome =
  | { readonly kind: 'mirror-set'; readonly mirror: Mirror }
  /** `because` and `subject` are for the log only. */
  | { readonly kind: 'unauthenticated'; readonly because?: string; readonly subject?: Subject }
  /** `resetIn`: as `CallLimit` says. */
  | { readonly kind: 'over-limit'; readonly resetIn: number }
  | { readonly kind: 'campaign-not-found' }
  | { readonly kind: 'refused'; readonly because: Refusal }
  | { readonly kind: 'no-address' }
  | { readonly kind: 'invalid-address'; readonly because: AddressFault };

/** What a request is judged on: the caller and the campaign. */
interface Facts {
  readonly caller: Identified;
  readonly campaign: Campaign | undefined;
}

/** The number of times a request is judged, at most, if its campaign changes between the judgement and the write. */
const maxAttempts = 5;

/**
 * Sets the mirror of a campaign (contract: the call).
 *
 * A caller is judged on a hypothesis: that the campaign satisfies the rules. The write checks the hypothesis and the
 * caller's access key, or returns the actual campaign, which is then judged. Most requests therefore take one call of the
 * repository. Only a write can rest on a hypothesis: every refusal but that of a limit is based on facts read for the
 * request.
 *
 * Nothing is done for somebody who is not known but to look up the credential: no address is parsed, and no campaign
 * read. A caller that is not allowed to set the mirror learns nothing about what it submitted (contract: order of checks).
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

  /** As `Identity#claimedBy`: for a driving adapter that treats callers apart, and passes the answer on as `claim`. */
  claimedBy(credential: string): Promise<Identified> {
    return this.#identity.claimedBy(credential);
  }

  /**
   * `limit` counts the call once its caller is known.
   * @throws Unavailable when a port is unavailable, or when the campaign changed after each judgement
   * @throws TypeError when an adapter hands over what no store holds: a request id, campaign or caller that is none
   */
  async execute(request: SetMirrorRequest, limit?: CallLimit): Promise<Outcome> {
    const { credential, requestId } = request;
    if (!isRequestId(requestId)) throw new TypeError('requestId: not 1 to 128 visible ASCII characters');
    if (request.campaign !== undefined && campaignId(request.campaign) !== request.campaign)
      throw new TypeError('campaign: not an integer from 1 to 2^53-1');
    const claim = 'claim' in request ? request.claim : await this.claimedBy(credential);
    const known = claim ?? (await this.#identity.whoIs(credential));
    if (!isCaller(known)) return unauthenticated(known);
    const counted = await limit?.admits(known);
    if (counted && !counted.admitted) return { kind: 'over-limit', resetIn: counted.resetIn };

    const address = this.#judgeAddress(request.address);
    // Another caller than a key is as it claims to be.
    const isProven = claim === undefined || accessKeyOf(known.subject) === undefined;
    const hoped = typeof address === 'string' ? hypothesis(request, known) : undefined;
    let facts: Facts = hoped ?? (await this.#read(request, isProven ? known : undefined));
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { caller, campaign } = facts;
      if (!isCaller(caller)) return unauthenticated(caller);
      if (!campaign) return { kind: 'campaign-not-found' };
      const refusal = refusalOf(campaign, caller);
      if (refusal) return { kind: 'refused', because: refusal };
      if (typeof address !== 'string') return address;

      if (ownerId(caller.ownerId) === undefined || !isCallersSubject(caller.subject))
        throw new TypeError('the identity gave a caller whose owner or subject is none');
      const result = await this.#campaigns.setMirror(campaign, { address, by: caller, requestId });
      if (result.kind === 'mirror-set') return result;
      facts =
        result.kind === 'caller-invalid' ? await this.#read(request) : { caller, campaign: result.campaign };
    }
    throw new Unavailable('the campaign changed each time that it was judged');
  }

  /** The address, or the outcome for an invalid one. */
  #judgeAddress(submitted: string | undefined) {
    if (submitted === undefined) return { kind: 'no-address' } as const;
    const address = mirrorAddress(submitted, this.#deniedHosts);
    return typeof address === 'string'
      ? address
      : ({ kind: 'invalid-address', because: address.fault } as const);
  }

  /**
   * Reads both at the same time; `proven` is a caller that need not be read again. A failure to read the campaign does
   * not hide an invalid credential.
   */
  async #read({ credential, campaign: id }: SetMirrorRequest, proven?: Caller): Promise<Facts> {
    const finding = id === undefined ? undefined : this.#campaigns.find(id);
    finding?.catch(() => {});
    const caller = proven ?? (await this.#identity.whoIs(credential));
    return { caller, campaign: isCaller(caller) ? await finding : undefined };
  }
}

/** The caller and a campaign that satisfies all rules; undefined if nothing can be assumed. */
function hypothesis({ campaign: id }: SetMirrorRequest, caller: Caller): Facts | undefined {
  if (id === undefined) return undefined;
  const campaign = { id, ownerId: caller.ownerId, isDefault: false, hasMirror: true };
  return refusalOf(campaign, caller) ? undefined : { caller, campaign };
}

function unauthenticated(identified: Exclude<Identified, Caller>): Outcome {
  if (!identified) return { kind: 'unauthenticated' };
  const { refused: because, ...more } = identified;
  return { kind: 'unauthenticated', because, ...more };
}
