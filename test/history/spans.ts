import type { HistoryRow, RunRecord, Span } from './record.ts';

/** When the one who wrote a row was at work. Who was told nothing may have been so until now. */
export function spansOf({ calls, rewrites }: RunRecord): Map<string, Span> {
  const spans = new Map<string, Span>();
  for (const { requestId, begin, end, status } of calls)
    spans.set(requestId, { begin, end: status === 200 ? end : Number.POSITIVE_INFINITY });
  for (const { requestId, begin, end, isUnsure } of rewrites)
    spans.set(requestId, { begin, end: isUnsure ? Number.POSITIVE_INFINITY : end });
  return spans;
}

export function chainsOf({ history }: RunRecord): Map<number, HistoryRow[]> {
  return Map.groupBy(
    history.toSorted((one, other) => one.id - other.id),
    ({ mirror }) => mirror,
  );
}

/**
 * When the row of a call was written, as far as that can be told: while the call was under way, not before the calls
 * of earlier rows had begun, and not after those of later ones had ended.
 */
export function writingsOf(record: RunRecord): Map<string, Span> {
  const spans = spansOf(record);
  const writings = new Map<string, Span>();
  for (const chain of chainsOf(record).values()) {
    const own = chain.map(({ requestId }) => spans.get(requestId) ?? { begin: -Infinity, end: Infinity });
    let begin = -Infinity;
    const begins = own.map((span) => (begin = Math.max(begin, span.begin)));
    let end = Infinity;
    const ends = own.toReversed().map((span) => (end = Math.min(end, span.end)));
    for (const [at, span] of own.entries()) {
      const writing = { begin: begins[at] ?? begin, end: ends.at(-1 - at) ?? end };
      // Else the order of the calls is broken already, and says nothing.
      writings.set(chain[at]?.requestId ?? '', writing.begin <= writing.end ? writing : span);
    }
  }
  return writings;
}
