import type { HistoryRow, RecordedCall, Rewrite, RunRecord } from './record.ts';
import type { Violation } from './violations.ts';

/** Those after which an update was not made. */
const refusals: readonly number[] = [400, 401, 403, 404, 405, 408, 413, 415, 417, 422, 429, 431];

/** What callers and operators were told, against the rows of history. */
export function* checkAnswers(record: RunRecord): Generator<Violation> {
  const rows = Map.groupBy(record.history, ({ requestId }) => requestId);
  const keys = new Map(
    record.acts.flatMap((act) => (act.kind === 'key-issued' ? [[act.key, act.owner]] : [])),
  );
  for (const call of record.calls) {
    const own = rows.get(call.requestId) ?? [];
    yield* checkCall(call, own, record.longestCall);
    for (const row of own) yield* checkRow(call, row, keys.get(call.key));
  }
  for (const rewrite of record.rewrites) yield* checkRewrite(rewrite, rows.get(rewrite.requestId) ?? []);

  const asked = new Set([...record.calls, ...record.rewrites].map(({ requestId }) => requestId));
  for (const { id, requestId } of record.history)
    if (!asked.has(requestId)) yield { rule: 'row-of-nobody', at: requestId, what: `row ${id}` };
}

function* checkCall(
  { requestId: at, status, begin, end }: RecordedCall,
  { length }: readonly HistoryRow[],
  longest: number,
): Generator<Violation> {
  const what = `${status ?? 'a broken connection'}, ${length} rows`;
  if (status === 200) {
    if (length !== 1) yield { rule: 'one-row', at, what };
  } else if (status === 503 || status === undefined) {
    if (length > 1) yield { rule: 'no-row', at, what };
  } else {
    if (!refusals.includes(status)) yield { rule: 'status', at, what: `${status}` };
    if (length > 0) yield { rule: 'no-row', at, what };
  }
  if (!(end - begin <= longest)) yield { rule: 'time', at, what: `${end - begin} ms, of ${longest}` };
}

function* checkRow(call: RecordedCall, row: HistoryRow, owner: number | undefined): Generator<Violation> {
  const { campaign, key, address, mirror } = call;
  const asked = { campaign, key, owner, after: address };
  const told = mirror && {
    mirror: mirror.id,
    campaign: mirror.campaign,
    after: mirror.address,
    at: mirror.updatedAt,
  };
  for (const said of [asked, told ?? {}])
    for (const [name, value] of Object.entries(said))
      if (row[name as keyof HistoryRow] !== value) {
        const what = `${name} is ${row[name as keyof HistoryRow]}, not ${value}`;
        yield { rule: 'row-as-asked', at: call.requestId, what };
      }
}

/** It writes each mirror once, if at all. */
function* checkRewrite(
  { requestId: at, wrote, isUnsure }: Rewrite,
  rows: HistoryRow[],
): Generator<Violation> {
  const byCampaign = Map.groupBy(rows, ({ campaign }) => campaign);
  for (const { campaign, address } of wrote) {
    const [row, ...more] = byCampaign.get(campaign) ?? [];
    if (!row || more.length > 0)
      yield { rule: 'one-row', at, what: `${row ? 1 + more.length : 0} rows of campaign ${campaign}` };
    else if (row.after !== address || row.key !== null)
      yield { rule: 'row-as-asked', at, what: `${row.after} by ${row.key}, not ${address}` };
    byCampaign.delete(campaign);
  }
  for (const [campaign, { length }] of byCampaign)
    if (length > 1 || !isUnsure)
      yield { rule: 'no-row', at, what: `${length} rows of campaign ${campaign}, of which it did not tell` };
}
