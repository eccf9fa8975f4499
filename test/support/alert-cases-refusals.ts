import { type AlertCases, job, of } from './alert-case.ts';

const refusals = (status: string, because: string) =>
  of('campaign_mirror_http_refusals_total', { status, because });
const unknown = refusals('401', 'unknown-key');
const malformed = refusals('401', 'invalid-key');
const forbidden = refusals('403', 'not-the-owner');

export const refusalCases: AlertCases = {
  CampaignMirrorUnauthenticatedStorm: [
    {
      when: 'after a usual day two a second are refused, for two reasons',
      series: { [unknown]: '0+6x1440 8700+60x30', [malformed]: '0+0x1440 60+60x30' },
      at: '1d30m',
      every: '15m',
      fires: { labels: job, summary: '2.0 keys a second are refused' },
    },
    {
      when: 'it began with the service itself',
      series: { [unknown]: '0+120x15' },
      at: '15m',
      fires: { labels: job, summary: '2.0 keys a second are refused' },
    },
    { when: 'two a second are refused for four minutes', series: { [unknown]: '0+120x4' }, at: '4m' },
    {
      when: 'two a second are what the day was like',
      series: { [unknown]: '0+120x1470' },
      at: '1d30m',
      every: '15m',
    },
    {
      when: 'it is ten times the usual, and less than one a second',
      series: { [unknown]: '0+3x1440 4350+30x30' },
      at: '1d30m',
      every: '15m',
    },
  ],
  CampaignMirrorRefusalsJump: [
    {
      when: 'somebody tries campaigns of others',
      series: { [forbidden]: '0+1x1440 1470+30x30' },
      at: '1d30m',
      every: '15m',
      fires: {
        labels: { ...job, status: '403', because: 'not-the-owner' },
        summary: '0.5 requests a second are refused: 403, not-the-owner',
      },
    },
    { when: 'somebody tries for four minutes', series: { [forbidden]: '0+30x4' }, at: '4m' },
    { when: 'the day was like that', series: { [forbidden]: '0+30x1470' }, at: '1d30m', every: '15m' },
    { when: 'they are few', series: { [forbidden]: '0+0x1440 6+6x30' }, at: '1d30m', every: '15m' },
    {
      when: 'they are a storm of 401, or failures, which have alerts of their own',
      series: { [unknown]: '0+60x15', [refusals('503', 'unavailable')]: '0+60x15' },
      at: '15m',
    },
  ],
};
