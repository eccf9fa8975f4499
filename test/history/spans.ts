import type { HistoryRow, RunRecord, Span } from './record.ts';

/** When each request was under way. A call without a 200 may still be. */
export function spansOf({ calls, operators }: RunRecord): Map<string, Span> {
  const ended = calls.map((call) => ({ ...call, end: call.status === 200 ? call.end : Infinity }));
  return new Map([...ended, ...operators].map(({ requestId, begin, end }) => [requestId, { begin, end }]));
}

/** The rows of each mirror, in the order in which they were written. */
export function chainsOf({ history }: RunRecord): Map<number, HistoryRow[]> {
  const rows = history.toSorted((one, other) => one.id - other.id);
  return Map.groupBy(rows, ({ mirror }) => mirror);
}

/**
 * When the row of each call was written: while the call was under way, after the calls of earlier rows had begun, and
 * before the calls of later rows had ended.
 */
export function writingsOf(record: RunRecord): Map<string, Span> {
  const spans = spansOf(record);
  const writings = new Map<string, Span>();
  for (const chain of chainsOf(record).values()) {
    const own = chain.map(({ requestId }) => spans.get(requestId) ?? { begin: -Infinity, end: Infinity });
    for (const [at, { requestId }] of chain.entries()) {
      const begin = Math.max(...own.slice(0, at + 1).map((span) => span.begin));
      const end = Math.min(...own.slice(at).map((span) => span.end));
      // Otherwise the rule `order` is broken, and the order says nothing.
      writings.set(requestId, begin <= end ? { begin, end } : (own[at] as Span));
    }
  }
  return writings;
}
