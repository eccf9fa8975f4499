import * as hosts from '../values/hosts.ts';
import * as values from '../values/identifiers.ts';
import * as addresses from '../values/mirror-address.ts';
import type {
  Caller,
  Campaign,
  CampaignRepository,
  Identified,
  Identity,
  MirrorNow,
  Refused,
} from './ports.ts';
import { isCaller, Unavailable } from './ports.ts';

/** The three rules (contract: rules), in order. */
const rules = [
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
  {
    refusal: 'not-the-owner',
    rule: 'Only the owner of the campaign may update its mirror.',
    holds: (campaign: Campaign, caller: Pick<Caller, 'ownerId'>) => campaign.ownerId === caller.ownerId,
  },
] as const;

/** The broken rule. */
export type Refusal = (typeof rules)[number]['refusal'];

/** The first broken rule; undefined: the call is allowed. For the operator, pass the campaign as the caller. */
export const refusalOf = (campaign: Campaign, caller: Pick<Caller, 'ownerId'>): Refusal | undefined =>
  rules.find((rule) => !rule.holds(campaign, caller))?.refusal;

/** With both, an access key that the write refuses is looked up again; without a credential, the call is refused. */
type Calling =
  | { readonly credential: string; readonly caller?: Caller | undefined }
  | { readonly credential?: undefined; readonly caller: Caller };

/** The submitted request (contract: the call). */
export type SetMirrorRequest = Calling & {
  /** Undefined if the submitted identifier is malformed. */
  readonly campaign: values.CampaignId | undefined;
  /** Undefined if the body contains no address. */
  readonly address: string | undefined;
  /** Links the history row to the log lines of the request: 1 to 128 visible ASCII characters (`isRequestId`). */
  readonly requestId: string;
  /** The condition, as in `MirrorChange`; by default, none. */
  readonly lastChange?: number | undefined;
};

/** The result of a call (contract: answers). Nothing was written unless it is `mirror-set`. */
export type Outcome =
  | MirrorNow
  /** `because` and `subject` are for the log only. */
  | { readonly kind: 'unauthenticated'; readonly because?: string; readonly subject?: values.Subject }
  | { readonly kind: 'campaign-not-found' }
  | { readonly kind: 'refused'; readonly because: Refusal }
  | AddressRefusal;

/** The address is missing or invalid. */
export type AddressRefusal =
  | { readonly kind: 'no-address' }
  | { readonly kind: 'invalid-address'; readonly because: addresses.AddressFault };

/** The maximum number of attempts if the campaign changes between the check of the rules and the write. */
export const maxAttempts = 5;

/**
 * Sets the mirror of a campaign (contract: the call). The first write assumes that the rules hold, and returns the
 * stored campaign if they do not, so most requests take one statement. Refusals rest on facts read for the request, in
 * the order of the contract (order of checks).
 */
export class SetCampaignMirror {
  readonly #campaigns: CampaignRepository;
  readonly #identity: Identity;
  readonly #deniedHosts: hosts.HostList;

  constructor(campaigns: CampaignRepository, identity: Identity, deniedHosts = hosts.noHosts) {
    this.#campaigns = campaigns;
    this.#identity = identity;
    this.#deniedHosts = deniedHosts;
  }

  /** `Identity#whoIs`, for a driving adapter that limits each caller before it executes the request. */
  identify(credential: string): Promise<Identified> {
    return this.#identity.whoIs(credential);
  }

  /** @throws Unavailable if a port does, or the campaign changed during every attempt; TypeError for malformed input */
  async execute(request: SetMirrorRequest): Promise<Outcome> {
    expectReadable(request);
    const { credential, campaign: id, requestId, lastChange } = request;
    const identified =
      credential === undefined ? request.caller : (request.caller ?? (await this.identify(credential)));
    if (!isCaller(identified)) return unauthenticated(identified);

    const address = checkedAddress(request.address, this.#deniedHosts, identified.hosts);
    let caller: Identified = identified;
    let campaign: Campaign | undefined;
    if (typeof address === 'string' && id !== undefined)
      campaign = { id, ownerId: identified.ownerId, isDefault: false, hasMirror: true };
    else ({ caller, campaign } = await this.#readAfresh(request, identified));
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (!isCaller(caller)) return unauthenticated(caller);
      if (!campaign) return { kind: 'campaign-not-found' };
      const because = refusalOf(campaign, caller);
      if (because) return { kind: 'refused', because };
      if (typeof address !== 'string') return address;

      expectWellFormed(caller);
      const { ownerId, subject, key } = caller;
      const change = { address, by: { ownerId, subject }, key, requestId, lastChange };
      const result = await this.#campaigns.setMirror(campaign, change);
      if (result.kind === 'mirror-set' || result.kind === 'condition-failed') return result;
      if (result.kind === 'campaign-differs') campaign = result.campaign;
      else ({ caller, campaign } = await this.#readAfresh(request));
    }
    throw new Unavailable('the campaign changed during every attempt');
  }

  /** Reads the caller and the campaign at the same time. A `known` caller without a key is not looked up again. */
  async #readAfresh({ credential, campaign: id }: SetMirrorRequest, known?: Caller) {
    const reading = id === undefined ? undefined : this.#campaigns.find(id);
    // An error of this lookup must not hide an invalid credential: it is thrown below, for a valid caller.
    reading?.catch(() => {});
    const isKnown = credential === undefined || (known !== undefined && known.key === undefined);
    const caller = isKnown ? known : await this.#identity.whoIs(credential, { afresh: true });
    return { caller, campaign: isCaller(caller) ? await reading : undefined };
  }
}

/** The valid address, or the outcome for a missing or invalid one. */
export function checkedAddress(
  submitted: string | undefined,
  denied: hosts.HostList,
  allowed?: hosts.HostList,
): addresses.MirrorAddress | AddressRefusal {
  if (submitted === undefined) return { kind: 'no-address' };
  const address = addresses.mirrorAddress(submitted, denied, allowed);
  return typeof address === 'string' ? address : { kind: 'invalid-address', because: address.fault };
}

/** The outcome for a refused credential. */
export function unauthenticated(identified: Refused | undefined): Outcome {
  const { refused: because, subject } = identified ?? {};
  return { kind: 'unauthenticated', ...(because !== undefined && { because }), ...(subject && { subject }) };
}

/** Checks what adapters in JavaScript can get wrong. */
function expectReadable({ requestId, campaign, lastChange, ...who }: SetMirrorRequest): void {
  if (!values.isRequestId(requestId)) throw new TypeError('requestId: not 1 to 128 visible ASCII characters');
  if (campaign !== undefined && values.campaignId(campaign) !== campaign)
    throw new TypeError('campaign: not an integer from 1 to 2^53-1');
  if (lastChange !== undefined && !Number.isSafeInteger(lastChange))
    throw new TypeError('lastChange: not a safe integer');
  if (!who.caller && typeof who.credential !== 'string')
    throw new TypeError('neither a credential nor a caller');
}

/** A store may take a missing owner for any owner, and a key's subject without the key needs no proof. */
function expectWellFormed({ ownerId, subject, key }: Caller): void {
  const { kind, name = '' } = values.partsOf(subject);
  const expected = key === undefined ? values.subject(kind, name) : values.keySubject(key);
  if (subject !== expected || ownerId === undefined || values.ownerId(ownerId) !== ownerId)
    throw new TypeError('the identity returned a caller whose owner, subject or key is malformed');
}
