import type { Sample } from '../metrics/definition.ts';
import type { MetricSnapshot } from '../metrics/meters.ts';

/** What the page keeps of the metrics at one moment: a few counts, and no label that could grow. */
export type Moment = ReturnType<typeof momentOf>;

/** `at`: in milliseconds since 1970, by a monotonic clock. */
export function momentOf(
  snapshots: readonly MetricSnapshot[],
  at = performance.timeOrigin + performance.now(),
) {
  const of = reader(snapshots);
  const callers = { listener: 'callers' };
  const serving = { role: 'serving' };
  const buckets = by(
    of('campaign_mirror_http_request_duration_seconds', callers).filter(({ labels }) => 'le' in labels),
    'le',
  );
  const started = of('process_start_time_seconds').map(({ value }) => value);
  return {
    at,
    /** Answers to callers, by their status. */
    statuses: by(of('campaign_mirror_http_requests_total', callers), 'status'),
    /** How many of these took at most this many seconds, by the bound. */
    within: new Map([...buckets].map(([le, count]) => [Number(le.replace('+Inf', 'Infinity')), count])),
    /** Refusals by their reason, and the status of each. */
    refusals: new Map(
      of('campaign_mirror_http_refusals_total').map(({ labels: { because, status }, value }) => [
        String(because),
        { status: String(status), count: value },
      ]),
    ),
    overloads: sum(of('campaign_mirror_overload_refusals_total', callers)),
    inFlight: {
      now: sum(of('campaign_mirror_http_requests_in_flight')),
      limit: sum(of('campaign_mirror_http_requests_in_flight_limit')),
    },
    connections: {
      now: sum(of('campaign_mirror_http_connections', callers)),
      limit: sum(of('campaign_mirror_http_connections_limit', callers)),
    },
    pool: {
      now: sum(of('campaign_mirror_pool_connections', { state: 'in-use' })),
      limit: sum(of('campaign_mirror_pool_connections_limit')),
      waiting: sum(of('campaign_mirror_pool_waiting')),
    },
    memory: sum(of('process_resident_memory_bytes')),
    /** In seconds, summed over this many processes. */
    loopActive: sum(of('campaign_mirror_event_loop_active_seconds_total', serving)),
    processes: sum(of('campaign_mirror_processes', serving)),
    /** In seconds since 1970; undefined without its metric. */
    startedAt: started.length > 0 ? Math.min(...started) : undefined,
    workers: by(of('campaign_mirror_workers'), 'state'),
    replacements: by(of('campaign_mirror_worker_replacements_total'), 'why'),
  };
}

function reader(snapshots: readonly MetricSnapshot[]) {
  const metrics = new Map(snapshots.map(({ name, values }) => [name, values]));
  return (name: string, labels: Sample['labels'] = {}): readonly Sample[] =>
    (metrics.get(name) ?? []).filter((one) =>
      Object.entries(labels).every(([label, value]) => one.labels[label] === value),
    );
}

function sum(samples: readonly Sample[]): number {
  return samples.reduce((total, { value }) => total + value, 0);
}

function by(samples: readonly Sample[], label: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { labels, value } of samples) {
    const name = String(labels[label]);
    sums.set(name, (sums.get(name) ?? 0) + value);
  }
  return sums;
}
