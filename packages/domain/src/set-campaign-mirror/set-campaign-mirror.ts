import * as values from '../values/identifiers.ts';
import {
  type AddressFault,
  type HostList,
  type MirrorAddress,
  mirrorAddress,
  noDeniedHosts,
} from '../values/mirror-address.ts';
import { Unavailable } from '../values/unavailable.ts';
import type { Campaign, CampaignRepository, MirrorNow } from './campaign-repository.ts';
import { type Caller, type Identified, type Identity, isCaller, type Refused } from './identity.ts';

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
const authorizationRules = [
  ...campaignRules,
  {
    refusal: 'not-the-owner',
    rule: 'Only the owner of the campaign may update its mirror.',
    holds: (campaign: Campaign, caller: Caller) => campaign.ownerId === caller.ownerId,
  },
] as const;

/** Why a caller is not allowed to set the mirror: the first rule that does not hold. */
export type Refusal = (typeof authorizationRules)[number]['refusal'];

/** Why even the operator, who owns no campaigns, is not allowed to set the mirror. */
export type OperatorRefusal = (typeof campaignRules)[number]['refusal'];

function refusalOf(campaign: Campaign, caller: Caller): Refusal | undefined {
  return authorizationRules.find((rule) => !rule.holds(campaign, caller))?.refusal;
}

export function operatorRefusalOf(campaign: Campaign): OperatorRefusal | undefined {
  return campaignRules.find((rule) => !rule.holds(campaign))?.refusal;
}

/** The submitted request (contract: the call). */
export interface SetMirrorRequest {
  /** Identifies the caller; secret. */
  readonly credential: string;
  /** The caller that `identity` has identified by the credential; by default it is asked here. */
  readonly caller?: Caller | undefined;
  /** Undefined if the submitted identifier cannot be a campaign's. */
  readonly campaign: values.CampaignId | undefined;
  /** Undefined if the submitted body contains no address. */
  readonly address: string | undefined;
  /** Links the history row to the log lines of the request: 1 to 128 visible ASCII characters (`isRequestId`). */
  readonly requestId: string;
  /** The condition, as in `MirrorChange`; by default, none. */
  readonly lastChange?: number | undefined;
}

/** The result of a call (contract: answers). Nothing was written unless it is `mirror-set`. */
export type Outcome =
  | MirrorNow
  /** `because` and `subject` are for the log only. */
  | { readonly kind: 'unauthenticated'; readonly because?: string; readonly subject?: values.Subject }
  | { readonly kind: 'campaign-not-found' }
  | { readonly kind: 'refused'; readonly because: Refusal }
  | AddressRefusal;

/** Why there is no address to set. */
export type AddressRefusal =
  | { readonly kind: 'no-address' }
  | { readonly kind: 'invalid-address'; readonly because: AddressFault };

interface Facts {
  readonly caller: Identified;
  readonly campaign: Campaign | undefined;
}

/** How often, at most, a request is judged if its campaign changes between the judgement and the write. */
export const maxAttempts = 5;

/**
 * Sets the mirror of a campaign (contract: the call). A caller is judged on a hypothesis: that the campaign satisfies the
 * rules. The write checks it and the caller's access key, or returns the actual campaign, which is then judged, so most
 * requests take one call of the repository. Every refusal is based on facts that were read for the request.
 *
 * Until the caller is identified, only the credential is looked up. Whoever may not set the mirror learns nothing about
 * the address (contract: order of checks).
 */
export class SetCampaignMirror {
  /** A driving adapter that limits each caller identifies it first, and passes it on. */
  readonly identity: Identity;
  readonly #campaigns: CampaignRepository;
  readonly #deniedHosts: HostList;

  constructor(campaigns: CampaignRepository, identity: Identity, deniedHosts: HostList = noDeniedHosts) {
    this.#campaigns = campaigns;
    this.identity = identity;
    this.#deniedHosts = deniedHosts;
  }

  /**
   * @throws Unavailable when a port is unavailable, or when the campaign changed after each judgement
   * @throws TypeError when an adapter passes a request id, a campaign, a last change or a caller that is malformed
   */
  async execute(request: SetMirrorRequest): Promise<Outcome> {
    const { credential, requestId, lastChange } = request;
    if (!values.isRequestId(requestId))
      throw new TypeError('requestId: not 1 to 128 visible ASCII characters');
    if (request.campaign !== undefined && values.campaignId(request.campaign) !== request.campaign)
      throw new TypeError('campaign: not an integer from 1 to 2^53-1');
    if (lastChange !== undefined && !Number.isSafeInteger(lastChange))
      throw new TypeError('lastChange: not a safe integer');
    const known = request.caller ?? this.identity.remembered?.(credential);
    const identified = known ?? (await this.identity.whoIs(credential));
    if (!isCaller(identified)) return unauthenticated(identified);

    const address = checkedAddress(request.address, this.#deniedHosts, identified.hosts);
    const assumed = typeof address === 'string' ? hypothesis(request, identified) : undefined;
    let facts: Facts = assumed ?? (await this.#read(request, identified.toProve ? undefined : identified));
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { caller, campaign } = facts;
      if (!isCaller(caller)) return unauthenticated(caller);
      if (!campaign) return { kind: 'campaign-not-found' };
      const refusal = refusalOf(campaign, caller);
      if (refusal) return { kind: 'refused', because: refusal };
      if (typeof address !== 'string') return address;

      if (!isWellFormed(caller))
        throw new TypeError('the identity returned a caller whose owner or subject is malformed');
      const result = await this.#campaigns.setMirror(campaign, {
        address,
        by: caller,
        requestId,
        lastChange,
      });
      if (result.kind === 'mirror-set' || result.kind === 'condition-failed') return result;
      if (result.kind === 'caller-invalid') facts = await this.#read(request);
      else facts = { caller, campaign: result.campaign };
    }
    throw new Unavailable('the campaign changed during every attempt');
  }

  /**
   * Reads the caller and the campaign at the same time. `proven` is a caller that need not be read again. A failure
   * to read the campaign does not hide an invalid credential.
   */
  async #read({ credential, campaign: id }: SetMirrorRequest, proven?: Caller): Promise<Facts> {
    const reading = id === undefined ? undefined : this.#campaigns.find(id);
    // Awaited below, but only for a valid caller: otherwise its rejection is ignored.
    reading?.catch(() => {});
    const caller = proven ?? (await this.identity.whoIs(credential));
    return { caller, campaign: isCaller(caller) ? await reading : undefined };
  }
}

/** The address, or the outcome for an invalid one. */
export function checkedAddress(
  submitted: string | undefined,
  denied: HostList,
  allowed?: HostList,
): MirrorAddress | AddressRefusal {
  if (submitted === undefined) return { kind: 'no-address' };
  const address = mirrorAddress(submitted, denied, allowed);
  return typeof address === 'string' ? address : { kind: 'invalid-address', because: address.fault };
}

/** The caller, and a campaign that satisfies all rules; undefined if no campaign can be assumed. */
function hypothesis({ campaign: id }: SetMirrorRequest, caller: Caller): Facts | undefined {
  if (id === undefined) return undefined;
  const campaign = { id, ownerId: caller.ownerId, isDefault: false, hasMirror: true };
  return refusalOf(campaign, caller) ? undefined : { caller, campaign };
}

/** The outcome for a credential that is refused. */
export function unauthenticated(identified: Refused | undefined): Outcome {
  const { refused: because, subject } = identified ?? {};
  return { kind: 'unauthenticated', ...(because !== undefined && { because }), ...(subject && { subject }) };
}

/** Types say so, but not to an identity in JavaScript: for a store, an owner that is missing can mean any owner. */
function isWellFormed({ ownerId, subject }: Caller): boolean {
  const { kind, name = '' } = values.partsOf(subject);
  const known = values.accessKeyOf(subject) ?? values.subject(kind, name);
  return known !== undefined && ownerId !== undefined && values.ownerId(ownerId) === ownerId;
}
