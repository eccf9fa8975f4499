import { type AlertCases, cases, of, target } from './alert-case.ts';

const fetches = (failed: string, done: string, identity = 'jwt') => ({
  [of('campaign_mirror_issuer_key_fetches_total', { result: 'failed', identity })]: failed,
  [of('campaign_mirror_issuer_key_fetches_total', { result: 'done', identity })]: done,
});

export const tokenCases: AlertCases = {
  CampaignMirrorIssuerAway: cases(
    { ...target, result: 'failed', identity: 'jwt' },
    'a cannot fetch the keys of the issuer of tokens',
    [
      ['every fetch fails for eleven minutes', '12m', fetches('0 0+12x11', '1x12')],
      ['one every nine minutes, and each fails', '30m', fetches('0x2 1x8 2x8 3x8 4x8', '1x30')],
    ],
    [
      ['every fetch fails for nine minutes', '10m', fetches('0 0+12x9', '1x10')],
      ['one failed, and no token has arrived since', '11m', fetches('0 1x10', '1x11')],
      ['some fail, others do not', '30m', fetches('0+3x30', '1x8 2x8 3x8 4x8')],
      ['callers have access keys, too', '12m', fetches('0 0+12x11', '1x12', 'both')],
    ],
  ),
  CampaignMirrorIssuerAwayBesideKeys: cases(
    { ...target, result: 'failed', identity: 'both' },
    'a cannot fetch the keys of the issuer of tokens, beside which access keys work',
    [['every fetch fails for eleven minutes', '12m', fetches('0 0+12x11', '1x12', 'both')]],
    [['tokens are the only identity', '12m', fetches('0 0+12x11', '1x12')]],
  ),
};
