import type { Checks } from '@campaign-mirror/adapters-http/service';
import type { DatabaseProbe } from '@campaign-mirror/adapters-persistence/service';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { atMostEvery } from '../process/life.ts';
import type { Version } from '../process/version.ts';

/** Every metric of the service, and what it means, for docs/reference/metrics.md. */
const meanings = {
  campaign_mirror_log_lines_lost_total: 'Lines of the log that were lost because its reader was too slow.',
  campaign_mirror_http_requests_total: 'Answered requests, refused ones included; not the page at /docs.',
  campaign_mirror_http_request_duration_seconds: 'Time from the headers of a request to its answer.',
  campaign_mirror_http_refusals_total: 'Answers to callers with another status than 200, by reason.',
  campaign_mirror_http_callers_gone_total: 'Requests whose callers did not wait for the answer.',
  campaign_mirror_overload_refusals_total: 'Requests or connections refused because there were too many.',
  campaign_mirror_http_requests_in_flight: 'Requests of callers in progress.',
  campaign_mirror_http_requests_in_flight_limit: 'Limit of requests in progress: MAX_IN_FLIGHT.',
  campaign_mirror_http_connections: 'Open connections.',
  campaign_mirror_http_connections_limit: 'Limit of open connections.',
  campaign_mirror_statement_duration_seconds: 'Time of a statement, with its wait for a connection.',
  campaign_mirror_batch_members: 'Calls in one statement.',
  campaign_mirror_statement_failures_total: 'Statements that failed.',
  campaign_mirror_updates_set_aside_total: 'Updates that left their batch because of a lock.',
  campaign_mirror_pool_connections: 'Database connections of the pool.',
  campaign_mirror_pool_connections_limit: 'Limit of database connections: POOL_SIZE.',
  campaign_mirror_pool_waiting: 'Statements that wait for a connection.',
  campaign_mirror_issuer_key_fetches_total: "Fetches of the issuer's public keys, by result and IDENTITY.",
  campaign_mirror_issuer_keys_age_seconds: "Age of the issuer's public keys; absent before the first fetch.",
  campaign_mirror_build_info: 'Always 1; the labels describe the running program.',
  campaign_mirror_ready: '1 if /readyz answers 200, otherwise 0.',
  campaign_mirror_ready_check: '1 if a check of /readyz passes, 0 if it fails; absent if it was not made.',
  campaign_mirror_history_rows: "PostgreSQL's estimate of the history's rows; absent before an analyze.",
  campaign_mirror_keys_expiring:
    'Access keys that expire within 14 days, not revoked or replaced; absent if the database does not answer.',
};
type Name = keyof typeof meanings;

export function metricIn(registry: Registry) {
  const registers = [registry];
  return (name: Name, ...labelNames: string[]) => ({ name, help: meanings[name], labelNames, registers });
}

/** A gauge that each scrape reads: one value, or one for each value of its label. Without a value it is absent. */
export function gaugeOf(
  metric: ReturnType<ReturnType<typeof metricIn>>,
  read: () => Shown | undefined | Promise<Shown | undefined>,
): void {
  new Gauge({
    ...metric,
    async collect() {
      const shown = await read();
      const [label = ''] = metric.labelNames;
      this.reset();
      if (shown === undefined) this.remove();
      else if (typeof shown === 'number') this.set(shown);
      else for (const [name, value] of Object.entries(shown)) this.set({ [label]: name }, Number(value));
    },
  });
}
type Shown = number | Readonly<Record<string, number | boolean>>;

/** prom-client's metrics of Node, made once in a process, because their timers and observers never end. */
let ofNode: Registry | undefined;

/** The metrics of Node, and the lost lines of the log. */
export function processMetrics(lostLines: () => number): Registry {
  if (!ofNode) {
    ofNode = new Registry();
    collectDefaultMetrics({ register: ofNode });
  }
  const registry = Registry.merge([ofNode]);
  new Counter({
    ...metricIn(registry)('campaign_mirror_log_lines_lost_total'),
    collect() {
      this.reset();
      this.inc(lostLines());
    },
  });
  return registry;
}

/** The minimum time between two counts of keys, in milliseconds. */
const betweenCounts = 30_000;

/** The version, and whether the service is ready. */
export function serviceMetrics(
  registry: Registry,
  { name: _, ...version }: Version,
  readiness: () => Promise<Checks>,
  probe?: DatabaseProbe,
): void {
  const metric = metricIn(registry);
  new Gauge(metric('campaign_mirror_build_info', 'version', 'node', 'migration', 'commit')).set(version, 1);
  const isReady = async () => Number(Object.values(await readiness()).every(Boolean));
  gaugeOf(metric('campaign_mirror_ready'), isReady);
  gaugeOf(metric('campaign_mirror_ready_check', 'check'), readiness);
  if (!probe) return;
  gaugeOf(metric('campaign_mirror_history_rows'), () => probe.historyRows);
  gaugeOf(metric('campaign_mirror_keys_expiring'), atMostEvery(betweenCounts, probe.expiringKeys));
}
