import * as http from '@campaign-mirror/adapters-http/service';
import type { Registry } from 'prom-client';
import { durationBuckets, instruments } from './instruments.ts';

type Listener = 'callers' | 'operators';

/** The methods of RFC 9110, section 9, and PATCH (RFC 5789). Any other is `other`, so that callers cannot add labels. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/** The routes of the page where the call can be tried, on the callers' listener. They are not counted. */
const pageRoutes = /^\/(docs(\/.*)?)?$/;

/** The answers that alerts compare start at 0, so that Prometheus sees their first rise. An overload is refused before its route is known. */
const answersFromZero = [
  { route: http.setMirrorRoute, status: 200 },
  { route: http.setMirrorRoute, status: 500 },
  { route: http.setMirrorRoute, status: 503 },
  { route: 'other', status: 503 },
];

export interface Watched {
  readonly server: Pick<http.HttpServer, 'connections'>;
  readonly slots: Pick<http.Slots, 'used' | 'size'>;
  readonly maxConnections: number;
}

/** Counts the answers of the listeners, and shows how much they carry. */
export function httpMetrics(registry: Registry) {
  const { counter, histogram, gauge, value } = instruments(registry);
  const requests = counter(
    'campaign_mirror_http_requests_total',
    'Requests that were answered, including those refused by the parser or for overload; not the page at /docs and its files.',
    'listener',
    'route',
    'method',
    'status',
  );
  const durations = histogram(
    'campaign_mirror_http_request_duration_seconds',
    'From the headers of a request to its answer.',
    durationBuckets,
    'listener',
    'route',
    'status',
  );
  const refused = counter(
    'campaign_mirror_http_refusals_total',
    'Answers to callers other than 200, by reason, such as the rule for 403, the fault of the key for 401, or of the address for 422.',
    'status',
    'because',
  );
  const callersGone = counter(
    'campaign_mirror_http_callers_gone_total',
    'Requests whose callers did not wait for the answer.',
    'listener',
  );
  const refusedFor = counter(
    'campaign_mirror_overload_refusals_total',
    'Requests or connections that were refused because there were too many.',
    'listener',
    'what',
  );
  for (const { route, status } of answersFromZero) {
    requests.inc({ listener: 'callers', route, method: 'POST', status }, 0);
    durations.zero({ listener: 'callers', route, status });
  }
  for (const { status, because } of http.refusals) refused.inc({ status, because }, 0);
  for (const listener of ['callers', 'operators']) {
    callersGone.inc({ listener }, 0);
    for (const what of http.overloads) refusedFor.inc({ listener, what }, 0);
  }

  const watched = new Map<Listener, Watched>();
  const gaugeOfEach = (name: string, help: string, read: (of: Watched) => number) =>
    gauge(
      name,
      help,
      (metric) => {
        for (const [listener, of] of watched) metric.set({ listener }, read(of));
      },
      'listener',
    );
  const slotsOfCallers = () => watched.get('callers')?.slots;
  value(
    'campaign_mirror_http_requests_in_flight',
    'Requests of callers in progress.',
    () => slotsOfCallers()?.used,
  );
  value(
    'campaign_mirror_http_requests_in_flight_limit',
    'Limit of requests in progress: MAX_IN_FLIGHT.',
    () => slotsOfCallers()?.size,
  );
  gaugeOfEach('campaign_mirror_http_connections', 'Open connections.', ({ server }) => server.connections);
  gaugeOfEach(
    'campaign_mirror_http_connections_limit',
    'Limit of open connections.',
    ({ maxConnections }) => maxConnections,
  );

  return {
    answered:
      (listener: Listener) =>
      ({ method, route: pattern, status, milliseconds, because, callerGone }: http.AnsweredRequest) => {
        if (listener === 'callers' && pageRoutes.test(pattern)) return;
        const route = pattern === '-' ? 'other' : pattern;
        durations.observe({ listener, route, status }, milliseconds / 1_000);
        requests.inc({ listener, route, method: methods.has(method) ? method : 'other', status });
        if (callerGone) callersGone.inc({ listener });
        if (because !== undefined && listener === 'callers') refused.inc({ status, because });
      },
    overload: (listener: Listener) => (what: http.Overload) => refusedFor.inc({ listener, what }),
    watch: (listener: Listener, of: Watched) => void watched.set(listener, of),
  };
}
