import type { Moment } from './moment.ts';

export function intervalsOf(moments: readonly Moment[]): Interval[] {
  return moments.slice(1).map((end, at) => between(moments[at] as Moment, end));
}

/** What happened between two moments. Counts never fall, except those of a killed worker. */
export type Interval = ReturnType<typeof between>;

function between(begin: Moment, end: Moment) {
  const seconds = (end.at - begin.at) / 1_000;
  const more = (of: (moment: Moment) => number) => Math.max(0, of(end) - of(begin)) / seconds;
  const answers = (starting: string) => (moment: Moment) =>
    [...moment.statuses].reduce((sum, [status, count]) => sum + (status.startsWith(starting) ? count : 0), 0);
  const buckets = [...end.within]
    .map(([bound, count]) => ({ bound, count: Math.max(0, count - (begin.within.get(bound) ?? 0)) }))
    .sort((one, other) => one.bound - other.bound);
  return {
    /** Its end, in milliseconds since 1970. */
    at: end.at,
    /** Requests, and those below, per second. */
    requests: more(answers('')),
    serverErrors: more(answers('5')),
    clientErrors: more(answers('4')),
    /** The time in milliseconds within which half, and 99 of 100, requests were answered; undefined without requests. */
    median: milliseconds(quantile(0.5, buckets)),
    percentile99: milliseconds(quantile(0.99, buckets)),
    poolInUse: end.pool.now,
    poolWaiting: end.pool.waiting,
    /** How busy the event loops were: 0 to 1. */
    busy: Math.min(1, more((moment) => moment.loopActive) / Math.max(1, end.processes)),
  };
}

/** The number of refusals by reason since `first`, and the end of the interval with the last one. */
export function recentRefusals(moments: readonly Moment[]) {
  const [first, latest] = [moments[0], moments.at(-1)];
  if (!first || !latest) return [];
  const countIn = (moment: Moment, because: string) => moment.refusals.get(because)?.count ?? 0;
  return [...latest.refusals].flatMap(([because, { status, count }]) => {
    const recent = count - countIn(first, because);
    const last = moments.find((moment) => countIn(moment, because) >= count);
    return recent > 0 && last ? [{ because, status, count: recent, at: last.at }] : [];
  });
}

/**
 * Like Prometheus' `histogram_quantile`: values are assumed to be spread evenly in a bucket. Buckets by their bounds.
 */
export function quantile(
  share: number,
  buckets: readonly { readonly bound: number; readonly count: number }[],
): number | undefined {
  const rank = share * (buckets.at(-1)?.count ?? 0);
  if (rank === 0) return undefined;
  const at = buckets.findIndex(({ count }) => count >= rank);
  const [below, own] = [buckets[at - 1] ?? { bound: 0, count: 0 }, buckets[at]];
  if (!own || own.bound === Number.POSITIVE_INFINITY) return below.bound;
  return below.bound + ((own.bound - below.bound) * (rank - below.count)) / (own.count - below.count);
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}
