import { type AlertCases, cases, job, of, target } from './alert-case.ts';

const started = of('process_start_time_seconds');
/** Of another process on the same machine. */
const startedBeside = of('process_start_time_seconds', { instance: 'b' });
const requests = (status: string) =>
  of('campaign_mirror_http_requests_total', { listener: 'callers', route: '/a', status });
const lost = of('campaign_mirror_log_lines_lost_total');

export const servingCases: AlertCases = {
  CampaignMirrorDown: [
    ...cases(
      target,
      'No metrics from a',
      [
        ['it does not answer', '3m', { [of('up')]: '1 0 0 0' }],
        ['another one does', '3m', { [of('up')]: '1 0 0 0', [of('up', { instance: 'b' })]: '1x3' }],
      ],
      [['it misses every other scrape', '5m', { [of('up')]: '1 0 1 0 1 0' }]],
    ),
    ...cases(
      job,
      'No metrics from any process',
      [['nobody asks it', '3m', { 'up{job="other",instance="a"}': '1x4' }]],
      [],
    ),
  ],
  CampaignMirrorRestarts: cases(
    target,
    'a was restarted 3 times within an hour',
    [
      ['it starts anew and again', '4m', { [started]: '100 200 300 400 400' }],
      ['it does, and another one does not', '4m', { [started]: '9 19 29 39 39', [startedBeside]: '9x5' }],
    ],
    [
      ['it is restarted every hour', '185m', { [started]: '100x60 200x60 300x60 400x5' }],
      ['it was restarted twice', '3m', { [started]: '100 200 300 300' }],
      ['each of two was', '3m', { [started]: '100 200 300 300', [startedBeside]: '150 150 250 350' }],
    ],
  ),
  CampaignMirrorUnexpected: cases(
    { ...job, route: '/a' },
    'Answers of 500 at /a: a fault of ours',
    [['one answer is 500', '5m', { [requests('500')]: '0 0 1 1 1 1' }]],
    [['those of 500 are of yesterday', '5m', { [requests('500')]: '7x5', [requests('503')]: '0+1x5' }]],
  ),
  CampaignMirrorLogLinesLost: cases(
    target,
    'a lost 20 lines of its log',
    [['some are lost', '15m', { [lost]: '0x5 20x15' }]],
    [['some were, long ago', '20m', { [lost]: '0 20x30' }]],
  ),
};
