import type {
  Caller,
  Campaign,
  CampaignId,
  CampaignRepository,
  Identity,
  MirrorChange,
  SetMirrorResult,
} from '@campaign-mirror/domain';
import { type Scope, scopes } from './scope.ts';

/** Access keys, with a span for each look-up. */
export class TracedIdentity implements Identity {
  readonly #port: Identity;

  constructor(port: Identity) {
    this.#port = port;
  }

  /** Reads no store: no span. */
  claimedBy(credential: string): Promise<Caller | undefined> {
    return this.#port.claimedBy(credential);
  }

  whoIs(credential: string): Promise<Caller | undefined> {
    const request = scopes.getStore();
    if (!request) return this.#port.whoIs(credential);
    return request.call(
      'look up key',
      () => this.#port.whoIs(credential),
      (caller, span, at) => {
        span.setAttribute('campaign_mirror.key_valid', caller !== undefined);
        if (caller) request.facts.callerAt = at;
      },
    );
  }
}

/** Campaigns and mirrors, with a span for each call and each judgement. */
export class TracedCampaigns implements CampaignRepository {
  readonly #port: CampaignRepository;

  constructor(port: CampaignRepository) {
    this.#port = port;
  }

  find(id: CampaignId): Promise<Campaign | undefined> {
    const request = scopes.getStore();
    if (!request) return this.#port.find(id);
    return request.call(
      'find campaign',
      () => this.#port.find(id),
      (campaign, _span, at) => {
        if (campaign) request.facts.campaignAt = at;
      },
    );
  }

  setMirror(seen: Campaign, change: MirrorChange): Promise<SetMirrorResult> {
    const request = scopes.getStore();
    if (!request) return this.#port.setMirror(seen, change);
    judged(request);
    return request.call(
      'set mirror',
      () => this.#port.setMirror(seen, change),
      (result, span, at) => {
        span.setAttribute('campaign_mirror.result', result.kind);
        if (result.kind !== 'campaign-differs') return;
        request.facts.callerAt ??= at;
        if (result.campaign) request.facts.campaignAt = at;
      },
    );
  }
}

/**
 * Makes the span of the judgement. The core knows no traces: it begins when caller and campaign are known, and ends
 * with the accepted change or the answer. `because`: why the change was refused.
 */
export function judged(request: Scope, because?: string): void {
  const { callerAt, campaignAt } = request.facts;
  if (callerAt === undefined || campaignAt === undefined) return;
  request.facts.campaignAt = undefined;
  const attributes = { 'campaign_mirror.because': because };
  request.begin('judge', { startTime: Math.max(callerAt, campaignAt), attributes }).end();
}
