import { type AlertCases, cases, job, of, target } from './alert-case.ts';

const started = (role: string) => of('process_start_time_seconds', { role });
const replaced = (why: string) => of('campaign_mirror_worker_replacements_total', { why });
const workers = (state: string) => of('campaign_mirror_workers', { state });
const wantedAndReady = (wanted: string, ready: string) => ({
  [workers('wanted')]: wanted,
  [workers('ready')]: ready,
});
const requests = (status: string) =>
  of('campaign_mirror_http_requests_total', { listener: 'callers', route: '/a', status });
const lost = of('campaign_mirror_log_lines_lost_total', { role: 'serving' });
const startedAnew = 'a was restarted 3 times within an hour';
const relieved = { [started('serving')]: '100 200 300 400 500', [started('watching')]: '90x5' };

export const servingCases: AlertCases = {
  CampaignMirrorDown: [
    ...cases(
      target,
      'No metrics from a',
      [['it does not answer', '3m', { [of('up')]: '1 0 0 0' }]],
      [['it misses every other scrape', '5m', { [of('up')]: '1 0 1 0 1 0' }]],
    ),
    ...cases(
      job,
      'No metrics from any machine',
      [['nobody asks it', '3m', { 'up{job="other",instance="a"}': '1x4' }]],
      [],
    ),
  ],
  CampaignMirrorRestarts: [
    ...cases(
      { ...target, role: 'serving' },
      startedAnew,
      [['a single process starts anew and again', '4m', { [started('serving')]: '100 200 300 400 400' }]],
      [
        ['it is restarted every hour', '185m', { [started('serving')]: '100x60 200x60 300x60 400x5' }],
        ['it was restarted twice', '3m', { [started('serving')]: '100 200 300 300' }],
        ['workers relieve each other', '4m', relieved],
      ],
    ),
    ...cases(
      { ...target, role: 'watching' },
      startedAnew,
      [
        [
          'the process that watches over workers does',
          '4m',
          { [started('serving')]: '100x5', [started('watching')]: '90 190 290 390 390' },
        ],
      ],
      [],
    ),
  ],
  CampaignMirrorWorkersLost: cases(
    { ...target, why: 'lost' },
    'a lost 4 workers within an hour',
    [
      [
        'four end by themselves',
        '1h',
        { [replaced('lost')]: '0 1 2 3 4+0x56', [replaced('relieved')]: '0x60' },
      ],
    ],
    [
      ['one does every hour', '185m', { [replaced('lost')]: '0x60 1x60 2x60 3x5' }],
      [
        'two do, others are relieved',
        '1h',
        { [replaced('lost')]: '0 1 2+0x58', [replaced('relieved')]: '0+1x60' },
      ],
    ],
  ),
  CampaignMirrorWorkersMissing: cases(
    target,
    'a has 1 workers, fewer than it should',
    [['one of two is away', '7m', wantedAndReady('2x8', '2 1x7')]],
    [['one is away until it is replaced', '8m', wantedAndReady('2x8', '2 1 1 1 2 1 1 1 1')]],
  ),
  CampaignMirrorWorkerSilent: cases(
    { ...target, state: 'silent' },
    'On a the event loop of a worker does not run',
    [['the event loop of one does not run', '3m', { [workers('silent')]: '0 1 1 1' }]],
    [['it runs again', '3m', { [workers('silent')]: '0 1 0 1' }]],
  ),
  CampaignMirrorUnexpected: cases(
    { ...job, route: '/a' },
    'Answers of 500 at /a: a fault of ours',
    [['one answer is 500', '5m', { [requests('500')]: '0 0 1 1 1 1' }]],
    [['those of 500 are of yesterday', '5m', { [requests('500')]: '7x5', [requests('503')]: '0+1x5' }]],
  ),
  CampaignMirrorLogLinesLost: cases(
    { ...target, role: 'serving' },
    'a lost 20 lines of its log',
    [['some are lost', '15m', { [lost]: '0x5 20x15' }]],
    [['some were, long ago', '20m', { [lost]: '0 20x30' }]],
  ),
};
