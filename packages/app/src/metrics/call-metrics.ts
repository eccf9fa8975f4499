import * as http from '@campaign-mirror/adapters-http/service';
import { statementNames } from '@campaign-mirror/adapters-persistence/service';
import type { Pool } from 'pg';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { gaugeOf, metricIn } from './service-metrics.ts';

type Listener = 'callers' | 'operators';

/** Upper bounds in seconds, dense around the millisecond that a request takes on an idle machine. */
const durationBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
const memberBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Other methods are labelled `other`: callers must not create series. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/** The routes of the page at /docs, which are not counted. */
const pageRoutes = /^\/(docs(\/.*)?)?$/;

export function httpMetrics(registry: Registry) {
  const metric = metricIn(registry);
  const request = metric('campaign_mirror_http_requests_total', 'listener', 'route', 'method', 'status');
  const requests = new Counter(request);
  const duration = metric('campaign_mirror_http_request_duration_seconds', 'listener', 'route', 'status');
  const durations = new Histogram({ ...duration, buckets: durationBuckets });
  const refused = new Counter(metric('campaign_mirror_http_refusals_total', 'status', 'because'));
  const callersGone = new Counter(metric('campaign_mirror_http_callers_gone_total', 'listener'));
  const refusedFor = new Counter(metric('campaign_mirror_overload_refusals_total', 'listener', 'what'));
  const listeners = new Map<Listener, { server: http.HttpServer; slots: http.Slots }>();
  gaugeOf(metric('campaign_mirror_http_requests_in_flight'), () => listeners.get('callers')?.slots.used);
  gaugeOf(
    metric('campaign_mirror_http_requests_in_flight_limit'),
    () => listeners.get('callers')?.slots.size,
  );
  gaugeOf(metric('campaign_mirror_http_connections', 'listener'), () =>
    Object.fromEntries(Array.from(listeners, ([listener, { server }]) => [listener, server.connections])),
  );
  const connectionsLimit = new Gauge(metric('campaign_mirror_http_connections_limit', 'listener'));

  // Series that alerts compare start at 0: Prometheus must see their first increase.
  const zero = (route: string, status: number) => {
    requests.inc({ listener: 'callers', route, method: 'POST', status }, 0);
    durations.zero({ listener: 'callers', route, status });
  };
  for (const status of [200, 500, 503]) zero(http.setMirrorRoute, status);
  // An overload is refused before its route is known.
  zero('other', 503);
  for (const { status, because } of http.refusals) refused.inc({ status, because }, 0);
  for (const listener of ['callers', 'operators']) {
    callersGone.inc({ listener }, 0);
    for (const what of http.overloads) refusedFor.inc({ listener, what }, 0);
  }
  return (listener: Listener) => ({
    answered: (call: http.AnsweredRequest) => {
      if (listener === 'callers' && pageRoutes.test(call.route)) return;
      const { status, because } = call;
      const route = call.route === '-' ? 'other' : call.route;
      const method = methods.has(call.method) ? call.method : 'other';
      durations.observe({ listener, route, status }, call.milliseconds / 1_000);
      requests.inc({ listener, route, method, status });
      if (call.callerGone) callersGone.inc({ listener });
      if (because !== undefined && listener === 'callers') refused.inc({ status, because });
    },
    overload: (what: http.Overload) => refusedFor.inc({ listener, what }),
    watch: (server: http.HttpServer, slots: http.Slots, maxConnections: number) => {
      listeners.set(listener, { server, slots });
      connectionsLimit.set({ listener }, maxConnections);
    },
  });
}

/** Counts the statements, and shows the pool at each scrape. `limit`: the maximum size of the pool. */
export function databaseMetrics(registry: Registry, pool: Pool, limit: number) {
  const metric = metricIn(registry);
  const duration = metric('campaign_mirror_statement_duration_seconds', 'statement');
  const durations = new Histogram({ ...duration, buckets: durationBuckets });
  const batch = metric('campaign_mirror_batch_members', 'statement');
  const members = new Histogram({ ...batch, buckets: memberBuckets });
  const failures = new Counter(metric('campaign_mirror_statement_failures_total', 'statement'));
  const setAside = new Counter(metric('campaign_mirror_updates_set_aside_total'));
  // All series except the durations start at 0: Prometheus must see their first increase.
  for (const statement of statementNames) {
    failures.inc({ statement }, 0);
    members.zero({ statement });
  }
  const connections = () => ({ 'in-use': pool.totalCount - pool.idleCount, idle: pool.idleCount });
  gaugeOf(metric('campaign_mirror_pool_connections', 'state'), connections);
  new Gauge(metric('campaign_mirror_pool_connections_limit')).set(limit);
  gaugeOf(metric('campaign_mirror_pool_waiting'), () => pool.waitingCount);
  return {
    batch: (statement: string, size: number) => members.observe({ statement }, size),
    ended: (statement: string, milliseconds: number, error?: unknown) => {
      durations.observe({ statement }, milliseconds / 1_000);
      if (error !== undefined) failures.inc({ statement });
    },
    setAside: () => setAside.inc(),
  };
}
