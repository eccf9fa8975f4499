import { type AlertCases, cases, job, of } from './alert-case.ts';

const refusals = (status: string, because: string) =>
  of('campaign_mirror_http_refusals_total', { status, because });
const unknown = refusals('401', 'unknown-key');
const malformed = refusals('401', 'invalid-key');
const forbidden = refusals('403', 'not-the-owner');
const stormAfterADay = { [unknown]: '0+6x1440 8700+60x30', [malformed]: '0+0x1440 60+60x30' };
const alertedElsewhere = { [unknown]: '0+60x15', [refusals('503', 'unavailable')]: '0+60x15' };

export const refusalCases: AlertCases = {
  CampaignMirrorUnauthenticatedStorm: cases(
    job,
    '2.0 keys a second are refused',
    [
      ['after a usual day two a second are refused, for two reasons', '1d30m', stormAfterADay, '15m'],
      ['it began with the service itself', '15m', { [unknown]: '0+120x15' }],
    ],
    [
      ['two a second are refused for four minutes', '4m', { [unknown]: '0+120x4' }],
      ['two a second are what the day was like', '1d30m', { [unknown]: '0+120x1470' }, '15m'],
      ['ten times the usual, not one a second', '1d30m', { [unknown]: '0+3x1440 4350+30x30' }, '15m'],
    ],
  ),
  CampaignMirrorRefusalsJump: cases(
    { ...job, status: '403', because: 'not-the-owner' },
    '0.5 requests a second are refused: 403, not-the-owner',
    [['somebody tries campaigns of others', '1d30m', { [forbidden]: '0+1x1440 1470+30x30' }, '15m']],
    [
      ['somebody tries for four minutes', '4m', { [forbidden]: '0+30x4' }],
      ['the day was like that', '1d30m', { [forbidden]: '0+30x1470' }, '15m'],
      ['they are few', '1d30m', { [forbidden]: '0+0x1440 6+6x30' }, '15m'],
      ['they are a storm of 401, or failures, which have alerts of their own', '15m', alertedElsewhere],
    ],
  ),
};
