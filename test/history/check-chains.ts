import type { HistoryRow, RunRecord, Span, StoredMirror } from './record.ts';
import { chainsOf, spansOf } from './spans.ts';
import type { Violation } from './violations.ts';

/** The rows of each mirror, in the order in which they were written, against each other and the mirror. */
export function* checkChains(record: RunRecord): Generator<Violation> {
  const rows = chainsOf(record);
  const created = new Map(
    record.acts.flatMap((act) => (act.kind === 'mirror-created' ? [[act.campaign, act.address]] : [])),
  );
  const spans = spansOf(record);
  for (const chain of rows.values()) {
    yield* checkLinks(chain, created.get(chain[0]?.campaign ?? 0));
    yield* checkOrder(chain, spans);
  }
  for (const mirror of record.mirrors)
    yield* checkStored(mirror, rows.get(mirror.id)?.at(-1), created.get(mirror.campaign));
}

function* checkLinks(chain: readonly HistoryRow[], created: string | undefined): Generator<Violation> {
  let [address, time] = [created, ''];
  for (const { requestId: at, id, before, after, at: now } of chain) {
    if (before !== address)
      yield { rule: 'chain', at, what: `row ${id}: before is ${before}, not ${address}` };
    if (!(now > time)) yield { rule: 'rising', at, what: `row ${id}: ${now} after ${time}` };
    [address, time] = [after, now];
  }
}

/** Looks at each row for an earlier one whose call had not begun when this one's had ended. */
function* checkOrder(chain: readonly HistoryRow[], spans: Map<string, Span>): Generator<Violation> {
  let last = { begin: Number.NEGATIVE_INFINITY, requestId: '' };
  for (const { requestId: at } of chain) {
    const span = spans.get(at);
    if (!span) continue;
    if (span.end < last.begin) yield { rule: 'order', at, what: `it comes after ${last.requestId}` };
    if (span.begin > last.begin) last = { begin: span.begin, requestId: at };
  }
}

function* checkStored(
  { id, campaign, address, updatedAt }: StoredMirror,
  last: HistoryRow | undefined,
  created: string | undefined,
): Generator<Violation> {
  const at = `mirror ${id} of campaign ${campaign}`;
  const expected = last?.after ?? created;
  if (address !== expected) yield { rule: 'stored', at, what: `${address}, not ${expected}` };
  if (last && updatedAt !== last.at) yield { rule: 'stored', at, what: `${updatedAt}, not ${last.at}` };
}
