import { type AlertCases, job, of, target } from './alert-case.ts';

const started = (role: string) => of('process_start_time_seconds', { role });
const replaced = (why: string) => of('campaign_mirror_worker_replacements_total', { why });
const workers = (state: string) => of('campaign_mirror_workers', { state });
const requests = (status: string) =>
  of('campaign_mirror_http_requests_total', { listener: 'callers', route: '/a', status });
const lost = of('campaign_mirror_log_lines_lost_total', { role: 'serving' });

export const servingCases: AlertCases = {
  CampaignMirrorDown: [
    {
      when: 'it does not answer',
      series: { [of('up')]: '1 0 0 0' },
      at: '3m',
      fires: { labels: target, summary: 'No metrics from a' },
    },
    {
      when: 'nobody asks it',
      series: { 'up{job="other",instance="a"}': '1x4' },
      at: '3m',
      fires: { labels: job, summary: 'No metrics from any machine' },
    },
    { when: 'it misses every other scrape', series: { [of('up')]: '1 0 1 0 1 0' }, at: '5m' },
  ],
  CampaignMirrorRestarts: [
    {
      when: 'a single process starts anew and again',
      series: { [started('serving')]: '100 200 300 400 400' },
      at: '4m',
      fires: { labels: { ...target, role: 'serving' }, summary: 'a was started anew 3 times within an hour' },
    },
    {
      when: 'the process that watches over workers does',
      series: { [started('serving')]: '100x5', [started('watching')]: '90 190 290 390 390' },
      at: '4m',
      fires: {
        labels: { ...target, role: 'watching' },
        summary: 'a was started anew 3 times within an hour',
      },
    },
    {
      when: 'it is restarted every hour',
      series: { [started('serving')]: '100x60 200x60 300x60 400x5' },
      at: '185m',
    },
    { when: 'it was restarted twice', series: { [started('serving')]: '100 200 300 300' }, at: '3m' },
    {
      when: 'workers relieve each other',
      series: { [started('serving')]: '100 200 300 400 500', [started('watching')]: '90x5' },
      at: '4m',
    },
  ],
  CampaignMirrorWorkersLost: [
    {
      when: 'four end by themselves',
      series: { [replaced('lost')]: '0 1 2 3 4+0x56', [replaced('relieved')]: '0x60' },
      at: '1h',
      fires: { labels: { ...target, why: 'lost' }, summary: 'a lost 4 workers within an hour' },
    },
    { when: 'one does every hour', series: { [replaced('lost')]: '0x60 1x60 2x60 3x5' }, at: '185m' },
    {
      when: 'two do, and others are relieved',
      series: { [replaced('lost')]: '0 1 2+0x58', [replaced('relieved')]: '0+1x60' },
      at: '1h',
    },
  ],
  CampaignMirrorWorkersMissing: [
    {
      when: 'one of two is away',
      series: { [workers('wanted')]: '2x8', [workers('ready')]: '2 1x7' },
      at: '7m',
      fires: { labels: target, summary: 'a has 1 workers, fewer than it should' },
    },
    {
      when: 'one is away for as long as it takes to replace it',
      series: { [workers('wanted')]: '2x8', [workers('ready')]: '2 1 1 1 2 1 1 1 1' },
      at: '8m',
    },
  ],
  CampaignMirrorWorkerSilent: [
    {
      when: 'the event loop of one does not run',
      series: { [workers('silent')]: '0 1 1 1' },
      at: '3m',
      fires: {
        labels: { ...target, state: 'silent' },
        summary: 'On a the event loop of a worker does not run',
      },
    },
    { when: 'it runs again', series: { [workers('silent')]: '0 1 0 1' }, at: '3m' },
  ],
  CampaignMirrorUnexpected: [
    {
      when: 'one answer is 500',
      series: { [requests('500')]: '0 0 1 1 1 1' },
      at: '5m',
      fires: { labels: { ...job, route: '/a' }, summary: 'Answers of 500 at /a: a fault of ours' },
    },
    {
      when: 'others are 503, and those of 500 are of yesterday',
      series: { [requests('500')]: '7x5', [requests('503')]: '0+1x5' },
      at: '5m',
    },
  ],
  CampaignMirrorLogLinesLost: [
    {
      when: 'some are lost',
      series: { [lost]: '0x5 20x15' },
      at: '15m',
      fires: { labels: { ...target, role: 'serving' }, summary: 'a lost 20 lines of its log' },
    },
    { when: 'some were, long ago', series: { [lost]: '0 20x30' }, at: '20m' },
  ],
};
