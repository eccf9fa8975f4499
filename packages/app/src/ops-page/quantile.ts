/**
 * The value below which this `share` of a histogram lies, as Prometheus' `histogram_quantile` has it: values are
 * assumed to be spread evenly in a bucket. `count`: how many were at most `bound`; buckets are in the order of their
 * bounds. Null if nothing was observed.
 */
export function quantile(
  share: number,
  buckets: readonly { readonly bound: number; readonly count: number }[],
): number | null {
  const rank = share * (buckets.at(-1)?.count ?? 0);
  if (rank === 0) return null;
  const at = buckets.findIndex(({ count }) => count >= rank);
  const [below, own] = [buckets[at - 1] ?? { bound: 0, count: 0 }, buckets[at]];
  if (!own || own.bound === Number.POSITIVE_INFINITY) return below.bound;
  return below.bound + ((own.bound - below.bound) * (rank - below.count)) / (own.count - below.count);
}
