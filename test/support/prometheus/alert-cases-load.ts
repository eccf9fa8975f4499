import { type AlertCases, cases, job, of, target } from './alert-case.ts';

const listener = { listener: 'callers' };
const overload = { ...listener, what: 'requests' };
const refused = of('campaign_mirror_overload_refusals_total', overload);
const connections = (open: string, most = '100x6') => ({
  [of('campaign_mirror_http_connections', listener)]: open,
  [of('campaign_mirror_http_connections_limit', listener)]: most,
});
/** How many turns were at most 0.1 s late, at most 0.2 s, and all. */
const late = (tenth: string, all: string) =>
  Object.fromEntries(
    [['0.1', tenth] as const, ['0.2', all] as const, ['+Inf', all] as const].map(([le, values]) => [
      of('campaign_mirror_event_loop_delay_seconds_bucket', { le }),
      values,
    ]),
  );

export const loadCases: AlertCases = {
  CampaignMirrorOverload: cases(
    { ...job, ...overload },
    '50 refusals within 5 minutes for requests of callers',
    [['requests are refused all the time', '10m', { [refused]: '0+10x10' }]],
    [['they were for a minute', '5m', { [refused]: '0 10 20+0x10' }]],
  ),
  CampaignMirrorConnectionsNearLimit: cases(
    { ...target, ...listener },
    'a has 91 connections of callers, and may have few more',
    [['91 of 100', '6m', connections('91x6')]],
    [
      ['91 of 100 for a moment', '4m', connections('9 9 91 91 91')],
      ['90 of 100', '6m', connections('90x6')],
      ['there is no limit', '6m', connections('5000x6', 'Inf Inf Inf Inf Inf Inf Inf')],
    ],
  ),
  CampaignMirrorEventLoopLate: cases(
    target,
    'On a one event in a hundred is 180ms late',
    [['five of a hundred times later than 0.1 s', '15m', late('0+95x20', '0+100x20')]],
    [
      ['five of a hundred times, for five minutes only', '15m', late('0+100x10 1095+95x9', '0+100x20')],
      ['one of two hundred times', '15m', late('0+199x20', '0+200x20')],
    ],
  ),
};
