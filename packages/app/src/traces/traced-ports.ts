import type { CampaignRepository, Identity } from '@campaign-mirror/domain';
import { type Scope, scopes } from './scope.ts';

/** An identity, with a span for each look-up. */
export const tracedIdentity = (port: Identity): Identity => ({
  /** Reads no store: no span. */
  claimedBy: (credential) => port.claimedBy(credential),
  whoIs: (credential) => {
    const request = scopes.getStore();
    const look = () => port.whoIs(credential);
    if (!request) return look();
    return request.call('look up key', look, (caller, span, at) => {
      span.setAttribute('campaign_mirror.key_valid', caller !== undefined);
      if (caller) request.facts.callerAt = at;
    });
  },
});

/** Campaigns and mirrors, with a span for each call and each judgement. */
export const tracedCampaigns = (port: CampaignRepository): CampaignRepository => ({
  find: (id) => {
    const request = scopes.getStore();
    const find = () => port.find(id);
    if (!request) return find();
    return request.call('find campaign', find, (campaign, _span, at) => {
      if (campaign) request.facts.campaignAt = at;
    });
  },
  setMirror: (seen, change) => {
    const request = scopes.getStore();
    const set = () => port.setMirror(seen, change);
    if (!request) return set();
    judged(request);
    return request.call('set mirror', set, (result, span, at) => {
      span.setAttribute('campaign_mirror.result', result.kind);
      if (result.kind !== 'campaign-differs') return;
      request.facts.callerAt ??= at;
      if (result.campaign) request.facts.campaignAt = at;
    });
  },
});

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
