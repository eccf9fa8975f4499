/**
 * A quantile of a histogram, as Prometheus' `histogram_quantile` has it; null if nothing was observed. `count`: how many
 * values were at most `bound`; buckets are in the order of their bounds.
 */
export function quantile(
  share: number,
  buckets: readonly { readonly bound: number; readonly count: number }[],
): number | null {
  const rank = share * (buckets.at(-1)?.count ?? 0);
  if (rank === 0) return null;
  const at = buckets.findIndex(({ count }) => count >= rank);
  const below = buckets[at - 1] ?? { bound: 0, count: 0 };
  const own = buckets[at];
  if (!own || own.bound === Number.POSITIVE_INFINITY) return below.bound;
  return below.bound + ((own.bound - below.bound) * (rank - below.count)) / (own.count - below.count);
}

/** A metric in the form of prom-client's JSON. */
export interface MetricObject {
  readonly name: string;
  readonly values: readonly {
    readonly labels: Readonly<Partial<Record<string, string | number>>>;
    readonly value: number;
  }[];
}

/** The time between two moments, in milliseconds. */
const betweenMoments = 5_000;
/** Ten minutes, with the moment at which they begin. */
const maxMoments = 121;

export type Moment = ReturnType<typeof momentOf>;
export type RecentMoments = ReturnType<typeof recentMoments>;

/**
 * What the page keeps of the metrics: the last ten minutes, in memory, the oldest moment first. `read`: prom-client's
 * `registry.getMetricsAsJSON()`. If it fails, `failed` gets the error, and that moment is missing.
 */
export function recentMoments(
  read: () => Promise<readonly MetricObject[]>,
  failed: (error: unknown) => void,
) {
  const all: Moment[] = [];
  const take = async () => {
    try {
      all.push(momentOf(reader(await read()), all.at(-1)));
      if (all.length > maxMoments) all.shift();
    } catch (error) {
      failed(error);
    }
  };
  return {
    all: all as readonly Moment[],
    take,
    /** Takes a moment now, and then one every five seconds until the returned function is called. */
    start: () => {
      void take();
      const timer = setInterval(() => void take(), betweenMoments).unref();
      return () => clearInterval(timer);
    },
  };
}

/** `before`: the previous moment; the first one has no rates. */
function momentOf(values: Reader, before?: { readonly counts: Counts }) {
  const counts = countsOf(values);
  const now = (name: string, labels?: Labels) => sum(values(name, labels));
  const rate = (name: 'requests' | 'serverErrors' | 'clientErrors' | 'loopActive') =>
    before ? (counts[name] - before.counts[name]) / (counts.at - before.counts.at) : null;
  const buckets = [...counts.cumulative].map(([bound, count]) => ({
    bound: bound * 1_000,
    count: before ? count - (before.counts.cumulative.get(bound) ?? 0) : 0,
  }));
  return {
    /** In seconds since 1970. */
    at: Date.now() / 1_000,
    counts,
    /** What is plotted: rates per second, latencies in milliseconds; null if there is none, such as a latency without requests. */
    series: {
      requests: rate('requests'),
      serverErrors: rate('serverErrors'),
      clientErrors: rate('clientErrors'),
      percentile99: quantile(0.99, buckets),
      median: quantile(0.5, buckets),
      poolInUse: now('campaign_mirror_pool_connections', { state: 'in-use' }),
      poolWaiting: now('campaign_mirror_pool_waiting'),
    },
    /** Times in seconds since 1970, sizes in bytes. */
    figures: {
      startedAt: now('process_start_time_seconds'),
      inFlight: now('campaign_mirror_http_requests_in_flight'),
      inFlightLimit: now('campaign_mirror_http_requests_in_flight_limit'),
      connections: now('campaign_mirror_http_connections', callers),
      connectionsLimit: now('campaign_mirror_http_connections_limit', callers),
      poolLimit: now('campaign_mirror_pool_connections_limit'),
      overloads: now('campaign_mirror_overload_refusals_total', callers),
      /** Share of the time in which the event loop was busy: 0 to 1. */
      busy: rate('loopActive'),
      memory: now('process_resident_memory_bytes'),
    },
  };
}

type Counts = ReturnType<typeof countsOf>;

/** The counts since the process began. */
function countsOf(values: Reader) {
  const answers = values('campaign_mirror_http_requests_total', callers);
  const answered = (first: string) =>
    sum(answers.filter(({ labels }) => `${labels.status}`.startsWith(first)));
  const cumulative = new Map<number, number>();
  for (const { labels, value } of values('campaign_mirror_http_request_duration_seconds', callers)) {
    // Without the label it is the sum or the count of the histogram.
    if (labels.le === undefined) continue;
    const bound = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le);
    cumulative.set(bound, (cumulative.get(bound) ?? 0) + value);
  }
  return {
    /** In seconds, by the monotonic clock. */
    at: performance.now() / 1_000,
    requests: sum(answers),
    serverErrors: answered('5'),
    clientErrors: answered('4'),
    /** By a bound in seconds: how many answers took at most so long. prom-client has the bounds in ascending order. */
    cumulative,
    refusals: values('campaign_mirror_http_refusals_total').map(({ labels, value }) => ({
      because: `${labels.because}`,
      status: Number(labels.status),
      times: value,
    })),
    loopActive: sum(values('campaign_mirror_event_loop_active_seconds_total')),
  };
}

type Values = MetricObject['values'];
type Labels = Values[number]['labels'];
type Reader = ReturnType<typeof reader>;

const callers = { listener: 'callers' };

/** A function that finds the values of a metric which have these labels. */
function reader(metrics: readonly MetricObject[]) {
  return (name: string, wanted: Labels = {}): Values =>
    (metrics.find((metric) => metric.name === name)?.values ?? []).filter(({ labels }) =>
      Object.entries(wanted).every(([label, value]) => labels[label] === value),
    );
}

function sum(values: Values): number {
  return values.reduce((total, { value }) => total + value, 0);
}
