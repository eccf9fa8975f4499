import {
  type AnsweredRequest,
  type Capacity,
  type HttpServer,
  refusals,
  setMirrorRoute,
} from '@campaign-mirror/adapters-http';
import { plain, type Samples } from './definition.ts';
import { httpDefinitions, type Listener, methods, overloads } from './http-definitions.ts';
import { counter, histogram, samplesOf } from './instruments.ts';

/** Those that an alert compares: told from 0 on, so that their first rise is seen. Overload looks at no route. */
const fromTheFirst = [
  { route: setMirrorRoute, status: 200 },
  { route: setMirrorRoute, status: 500 },
  { route: setMirrorRoute, status: 503 },
  { route: 'other', status: 503 },
];

const known = new Set<string>(methods);

/** Counts the answers of a listener. */
export function httpCounts(listener: Listener) {
  const requests = counter(httpDefinitions, 'campaign_mirror_http_requests_total');
  const durations = histogram(httpDefinitions, 'campaign_mirror_http_request_duration_seconds');
  const refused = counter(httpDefinitions, 'campaign_mirror_http_refusals_total');
  const callersGone = counter(httpDefinitions, 'campaign_mirror_http_callers_gone_total');

  if (listener === 'callers') {
    for (const labels of fromTheFirst) {
      requests.inc({ listener, method: 'POST', ...labels }, 0);
      durations.zero({ listener, ...labels });
    }
    for (const { status, because } of refusals) refused.inc({ status, because }, 0);
  }
  callersGone.inc({ listener }, 0);

  const answered = ({
    method,
    route: pattern,
    status,
    milliseconds,
    because,
    callerGone,
  }: AnsweredRequest) => {
    const route = pattern === '-' ? 'other' : pattern;
    durations.observe({ listener, route, status }, milliseconds / 1_000);
    requests.inc({ listener, route, method: known.has(method) ? method : 'other', status });
    if (callerGone) callersGone.inc({ listener });
    if (because !== undefined) refused.inc({ status, because });
  };
  const told = [requests, durations, callersGone, ...(listener === 'callers' ? [refused] : [])];
  return { answered, samples: () => samplesOf(told) };
}

/** What a listener carries at this moment, and what it has refused. */
export function httpGauges(listener: Listener, server: HttpServer, capacity: Capacity) {
  const labels = { listener };
  return (): Samples<typeof httpDefinitions> => ({
    campaign_mirror_http_connections: [{ labels, value: server.connections }],
    campaign_mirror_http_connections_limit: [
      { labels, value: capacity.limits.connections ?? Number.POSITIVE_INFINITY },
    ],
    campaign_mirror_overload_refusals_total: overloads.map((what) => ({
      labels: { listener, what },
      value: capacity.refusals.get(what) ?? 0,
    })),
    ...(listener === 'callers' && {
      campaign_mirror_http_requests_in_flight: plain(capacity.inFlight),
      campaign_mirror_http_requests_in_flight_limit: plain(capacity.limits.inFlight),
    }),
  });
}
