import { type AlertCases, job, of, target } from './alert-case.ts';

const listener = { listener: 'callers' };
const overload = { ...listener, what: 'requests' };
const refused = of('campaign_mirror_overload_refusals_total', overload);
const connections = of('campaign_mirror_http_connections', listener);
const mostConnections = of('campaign_mirror_http_connections_limit', listener);
const late = (le: string) => of('campaign_mirror_event_loop_delay_seconds_bucket', { role: 'serving', le });

export const loadCases: AlertCases = {
  CampaignMirrorOverload: [
    {
      when: 'requests are refused all the time',
      series: { [refused]: '0+10x10' },
      at: '10m',
      fires: {
        labels: { ...job, ...overload },
        summary: '50 refusals within 5 minutes for requests of callers',
      },
    },
    { when: 'they were for a minute', series: { [refused]: '0 10 20+0x10' }, at: '5m' },
  ],
  CampaignMirrorConnectionsNearLimit: [
    {
      when: '91 of 100',
      series: { [connections]: '91x6', [mostConnections]: '100x6' },
      at: '6m',
      fires: {
        labels: { ...target, ...listener },
        summary: 'a has 91 connections of callers, and may have few more',
      },
    },
    {
      when: '91 of 100 for a moment',
      series: { [connections]: '9 9 91 91 91', [mostConnections]: '100x6' },
      at: '4m',
    },
    { when: '90 of 100', series: { [connections]: '90x6', [mostConnections]: '100x6' }, at: '6m' },
    {
      when: 'there is no limit',
      series: { [connections]: '5000x6', [mostConnections]: 'Inf Inf Inf Inf Inf Inf Inf' },
      at: '6m',
    },
  ],
  CampaignMirrorEventLoopLate: [
    {
      when: 'five of a hundred times later than 0.1 s',
      series: { [late('0.1')]: '0+95x20', [late('0.2')]: '0+100x20', [late('+Inf')]: '0+100x20' },
      at: '15m',
      fires: {
        labels: { ...target, role: 'serving' },
        summary: 'On a one event in a hundred is 180ms late',
      },
    },
    {
      when: 'five of a hundred times, for five minutes only',
      series: {
        [late('0.1')]: '0+100x10 1095+95x9',
        [late('0.2')]: '0+100x20',
        [late('+Inf')]: '0+100x20',
      },
      at: '15m',
    },
    {
      when: 'one of two hundred times',
      series: { [late('0.1')]: '0+199x20', [late('0.2')]: '0+200x20', [late('+Inf')]: '0+200x20' },
      at: '15m',
    },
  ],
};
