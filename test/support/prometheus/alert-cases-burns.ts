import { type AlertCase, type AlertCases, job, of } from './alert-case.ts';

const requests = (status: string) =>
  of('campaign_mirror_http_requests_total', { listener: 'callers', status });
const updates = { listener: 'callers', status: '200' };
const all = of('campaign_mirror_http_request_duration_seconds_count', updates);
const quick = of('campaign_mirror_http_request_duration_seconds_bucket', { ...updates, le: '0.1' });
const storm = { [requests('401')]: '0+10000x60' };

/** `times`: as often as it may, where it fires; the rules are evaluated once, at the end. */
type Burn = readonly [when: string, at: string, one: string, other: string, times?: number, beside?: object];

/** Of two series by their values. `what`: the summary, up to the times. */
const burns = (names: readonly [string, string], what: string, rows: readonly Burn[]) =>
  rows.map(
    ([when, at, one, other, times, beside]): AlertCase => ({
      when,
      at,
      every: at,
      series: { [names[0]]: one, [names[1]]: other, ...beside },
      fires: times ? { labels: job, summary: `${what} ${times} times as often as they may` } : undefined,
    }),
  );
const failures = [requests('200'), requests('503')] as const;
const faults = [requests('200'), requests('500')] as const;
const latencies = [all, quick] as const;

/** The objectives are 99.9 % that do not fail, 99 % within 0.1 s. */
export const burnCases: AlertCases = {
  CampaignMirrorAvailabilityBurnsFast: [
    ...burns(faults, 'Requests fail', [['1 % fails for six hours', '6h', '0+990x360', '0+10x360', 10]]),
    ...burns(failures, 'Requests fail', [
      ['3 % fail for an hour', '1h', '0+97x60', '0+3x60', 30],
      ['3 % fail for an hour, and a storm of 401 beside them', '1h', '0+97x60', '0+3x60', 30, storm],
      ['0.5 % fail for six hours', '6h', '0+995x360', '0+5x360'],
      ['10 % failed for 50 minutes, and none for 35', '85m', '0+90x85', '0+10x50 500+0x35'],
      ['five of ten fail in a quiet night', '36m', '0+0x30 0+1x5 5+0x10', '0+0x30 0+1x5 5+0x10'],
      ['4 % fail, for six minutes only', '6h', '0+96x360', '0+0x354 4+4x5'],
    ]),
  ],
  CampaignMirrorAvailabilityBurnsSlowly: burns(failures, 'For long, requests fail', [
    ['0.4 % fail for a day', '1d', '0+996x1440', '0+4x1440', 4],
    ['0.2 % fail for three days', '3d', '0+998x4320', '0+2x4320', 2],
    ['0.05 % fail for three days', '3d', '0+1999x4320', '0+1x4320'],
    ['1 % failed for a day, and none for seven hours', '31h', '0+990x1860', '0+10x1440 14400+0x420'],
    ['0.4 % fail, for three hours only', '3d', '0+996x4320', '0+0x4140 4+4x179'],
    ['five of ten fail in three quiet days', '3d', '0+0x4200 0+1x5 5+0x120', '0+0x4200 0+1x5 5+0x120'],
  ]),
  CampaignMirrorLatencyBurnsFast: burns(latencies, 'Updates are slow', [
    ['20 % are slow for an hour', '1h', '0+100x60', '0+80x60', 20],
    ['10 % are slow for six hours', '6h', '0+100x360', '0+90x360', 10],
    ['5 % are slow for six hours', '6h', '0+100x360', '0+95x360'],
    ['50 % were slow for 50 minutes, and none for 35', '85m', '0+100x85', '0+50x50 2600+100x34'],
    ['five of ten are slow in a quiet night', '36m', '0+0x30 0+2x5 10+0x10', '0+0x30 0+1x5 5+0x10'],
    ['60 % are slow, for six minutes only', '6h', '0+100x360', '0+100x354 35440+40x5'],
  ]),
  CampaignMirrorLatencyBurnsSlowly: burns(latencies, 'For long, updates are slow', [
    ['4 % are slow for a day', '1d', '0+100x1440', '0+96x1440', 4],
    ['2 % are slow for three days', '3d', '0+100x4320', '0+98x4320', 2],
    ['20 % were slow for a day, and none for seven hours', '31h', '0+100x1860', '0+80x1440 115300+100x419'],
    ['0.5 % are slow for three days', '3d', '0+200x4320', '0+199x4320'],
    ['4 % are slow, for three hours only', '3d', '0+100x4320', '0+100x4140 414096+96x179'],
    ['five of ten are slow in three quiet days', '3d', '0+0x4200 0+2x5 10+0x120', '0+0x4200 0+1x5 5+0x120'],
  ]),
};
