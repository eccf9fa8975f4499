import { type AlertCases, job, of } from './alert-case.ts';

const requests = (status: string) =>
  of('campaign_mirror_http_requests_total', { listener: 'callers', status });
const updates = { listener: 'callers', status: '200' };
const all = of('campaign_mirror_http_request_duration_seconds_count', updates);
const quick = of('campaign_mirror_http_request_duration_seconds_bucket', { ...updates, le: '0.1' });

/** The objectives are 99.9 % that do not fail, 99 % within 0.1 s. */
export const burnCases: AlertCases = {
  CampaignMirrorAvailabilityBurnsFast: [
    {
      when: '3 % fail for an hour',
      series: { [requests('200')]: '0+97x60', [requests('503')]: '0+3x60' },
      at: '1h',
      every: '1h',
      fires: { labels: job, summary: 'Requests fail 30 times as often as they may' },
    },
    {
      when: '1 % fails for six hours',
      series: { [requests('200')]: '0+990x360', [requests('500')]: '0+10x360' },
      at: '6h',
      every: '6h',
      fires: { labels: job, summary: 'Requests fail 10 times as often as they may' },
    },
    {
      when: '3 % fail for an hour, and a storm of 401 beside them',
      series: {
        [requests('200')]: '0+97x60',
        [requests('503')]: '0+3x60',
        [requests('401')]: '0+10000x60',
      },
      at: '1h',
      every: '1h',
      fires: { labels: job, summary: 'Requests fail 30 times as often as they may' },
    },
    {
      when: '0.5 % fail for six hours',
      series: { [requests('200')]: '0+995x360', [requests('503')]: '0+5x360' },
      at: '6h',
      every: '6h',
    },
    {
      when: '10 % failed for 50 minutes, and none for 35',
      series: { [requests('200')]: '0+90x85', [requests('503')]: '0+10x50 500+0x35' },
      at: '85m',
      every: '85m',
    },
    {
      when: 'five of ten fail in a quiet night',
      series: { [requests('200')]: '0+0x30 0+1x5 5+0x10', [requests('503')]: '0+0x30 0+1x5 5+0x10' },
      at: '36m',
      every: '36m',
    },
    {
      when: '4 % fail, for six minutes only',
      series: { [requests('200')]: '0+96x360', [requests('503')]: '0+0x354 4+4x5' },
      at: '6h',
      every: '6h',
    },
  ],
  CampaignMirrorAvailabilityBurnsSlowly: [
    {
      when: '0.4 % fail for a day',
      series: { [requests('200')]: '0+996x1440', [requests('503')]: '0+4x1440' },
      at: '1d',
      every: '1d',
      fires: { labels: job, summary: 'For long, requests fail 4 times as often as they may' },
    },
    {
      when: '0.2 % fail for three days',
      series: { [requests('200')]: '0+998x4320', [requests('503')]: '0+2x4320' },
      at: '3d',
      every: '3d',
      fires: { labels: job, summary: 'For long, requests fail 2 times as often as they may' },
    },
    {
      when: '0.05 % fail for three days',
      series: { [requests('200')]: '0+1999x4320', [requests('503')]: '0+1x4320' },
      at: '3d',
      every: '3d',
    },
    {
      when: '1 % failed for a day, and none for seven hours',
      series: { [requests('200')]: '0+990x1860', [requests('503')]: '0+10x1440 14400+0x420' },
      at: '31h',
      every: '31h',
    },
    {
      when: '0.4 % fail, for three hours only',
      series: { [requests('200')]: '0+996x4320', [requests('503')]: '0+0x4140 4+4x179' },
      at: '3d',
      every: '3d',
    },
    {
      when: 'five of ten fail in three quiet days',
      series: { [requests('200')]: '0+0x4200 0+1x5 5+0x120', [requests('503')]: '0+0x4200 0+1x5 5+0x120' },
      at: '3d',
      every: '3d',
    },
  ],
  CampaignMirrorLatencyBurnsFast: [
    {
      when: '20 % are slow for an hour',
      series: { [all]: '0+100x60', [quick]: '0+80x60' },
      at: '1h',
      every: '1h',
      fires: { labels: job, summary: 'Updates are slow 20 times as often as they may' },
    },
    {
      when: '10 % are slow for six hours',
      series: { [all]: '0+100x360', [quick]: '0+90x360' },
      at: '6h',
      every: '6h',
      fires: { labels: job, summary: 'Updates are slow 10 times as often as they may' },
    },
    {
      when: '5 % are slow for six hours',
      series: { [all]: '0+100x360', [quick]: '0+95x360' },
      at: '6h',
      every: '6h',
    },
    {
      when: '50 % were slow for 50 minutes, and none for 35',
      series: { [all]: '0+100x85', [quick]: '0+50x50 2600+100x34' },
      at: '85m',
      every: '85m',
    },
    {
      when: 'five of ten are slow in a quiet night',
      series: { [all]: '0+0x30 0+2x5 10+0x10', [quick]: '0+0x30 0+1x5 5+0x10' },
      at: '36m',
      every: '36m',
    },
    {
      when: '60 % are slow, for six minutes only',
      series: { [all]: '0+100x360', [quick]: '0+100x354 35440+40x5' },
      at: '6h',
      every: '6h',
    },
  ],
  CampaignMirrorLatencyBurnsSlowly: [
    {
      when: '4 % are slow for a day',
      series: { [all]: '0+100x1440', [quick]: '0+96x1440' },
      at: '1d',
      every: '1d',
      fires: { labels: job, summary: 'For long, updates are slow 4 times as often as they may' },
    },
    {
      when: '2 % are slow for three days',
      series: { [all]: '0+100x4320', [quick]: '0+98x4320' },
      at: '3d',
      every: '3d',
      fires: { labels: job, summary: 'For long, updates are slow 2 times as often as they may' },
    },
    {
      when: '20 % were slow for a day, and none for seven hours',
      series: { [all]: '0+100x1860', [quick]: '0+80x1440 115300+100x419' },
      at: '31h',
      every: '31h',
    },
    {
      when: '0.5 % are slow for three days',
      series: { [all]: '0+200x4320', [quick]: '0+199x4320' },
      at: '3d',
      every: '3d',
    },
    {
      when: '4 % are slow, for three hours only',
      series: { [all]: '0+100x4320', [quick]: '0+100x4140 414096+96x179' },
      at: '3d',
      every: '3d',
    },
    {
      when: 'five of ten are slow in three quiet days',
      series: { [all]: '0+0x4200 0+2x5 10+0x120', [quick]: '0+0x4200 0+1x5 5+0x120' },
      at: '3d',
      every: '3d',
    },
  ],
};
