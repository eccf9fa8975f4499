import { checkRights } from './check-rights.ts';
import type { HistoryRow, RecordedCall, RunRecord } from './record.ts';
import { chainsOf, spansOf } from './spans.ts';
import type { Violation } from './violations.ts';

export function violationsOf(record: RunRecord): Violation[] {
  const checks = [checkAnswers, checkChains, checkRights];
  return checks.flatMap((check) => [...check(record)]);
}

const refusals: readonly number[] = [400, 401, 403, 404, 405, 408, 412, 413, 415, 417, 422, 429, 431];

/** Compares what callers and operators were told with the rows of history. */
function* checkAnswers({ calls, acts, operators, history, longestCall }: RunRecord): Generator<Violation> {
  const rows = Map.groupBy(history, ({ requestId }) => requestId);
  const owners = new Map(
    acts.flatMap((act) => ('key' in act && 'owner' in act ? [[act.key, act.owner]] : [])),
  );
  for (const call of calls) {
    const own = rows.get(call.requestId) ?? [];
    yield* checkCall(call, own.length, longestCall);
    for (const row of own) yield* checkRow(call, row, owners.get(call.key));
    rows.delete(call.requestId);
  }
  for (const { requestId } of operators) rows.delete(requestId);
  for (const [at, [row]] of rows) yield { rule: 'row-of-nobody', at, what: `row ${row?.id}` };
}

function* checkCall(call: RecordedCall, rows: number, longest: number): Generator<Violation> {
  const { requestId: at, status, begin, end } = call;
  const what = `${status ?? 'no answer'}, ${rows} rows`;
  const isUnknown = status === 503 || status === undefined;
  if (status === 200) {
    if (rows !== 1) yield { rule: 'one-row', at, what };
  } else if (rows > (isUnknown ? 1 : 0)) yield { rule: 'no-row', at, what };
  if (status !== 200 && !isUnknown && !refusals.includes(status)) yield { rule: 'status', at, what };
  if (!(end - begin <= longest)) yield { rule: 'time', at, what: `${end - begin} ms, of ${longest}` };
}

function* checkRow(call: RecordedCall, row: HistoryRow, owner: number | undefined): Generator<Violation> {
  const { requestId: at, campaign, key, address, mirror } = call;
  const answered = mirror && { mirror: mirror.id, after: mirror.address, at: mirror.updatedAt };
  const told = { ...answered, campaign: mirror?.campaign ?? campaign };
  for (const [name, value] of [{ campaign, key, owner, after: address }, told].flatMap(Object.entries)) {
    const found = row[name as keyof HistoryRow];
    if (found !== value) yield { rule: 'row-as-sent', at, what: `${name} is ${found}, not ${value}` };
  }
}

/** Compares the rows of each mirror with each other and with the mirror. */
function* checkChains(record: RunRecord): Generator<Violation> {
  const chains = chainsOf(record);
  const created = new Map(
    record.acts.flatMap((act) => ('campaign' in act && act.mirror ? [[act.campaign, act.mirror]] : [])),
  );
  const spans = spansOf(record);
  for (const chain of chains.values()) {
    let [address, time] = [created.get(chain[0]?.campaign ?? 0), ''];
    /** Of the previous rows, the one whose call began last. */
    let last = { begin: -Infinity, requestId: '' };
    for (const { requestId: at, id, before, after, at: now } of chain) {
      if (before !== address)
        yield { rule: 'chain', at, what: `row ${id}: before is ${before}, not ${address}` };
      if (!(now > time)) yield { rule: 'rising', at, what: `row ${id}: ${now} after ${time}` };
      [address, time] = [after, now];
      const { begin, end } = spans.get(at) ?? { begin: -Infinity, end: Infinity };
      if (end < last.begin) yield { rule: 'order', at, what: `it comes after ${last.requestId}` };
      if (begin > last.begin) last = { begin, requestId: at };
    }
  }
  for (const { id, campaign, address, updatedAt } of record.mirrors) {
    const at = `mirror ${id} of campaign ${campaign}`;
    const last = chains.get(id)?.at(-1);
    const expected = last?.after ?? created.get(campaign);
    if (address !== expected) yield { rule: 'stored', at, what: `${address}, not ${expected}` };
    if (last && updatedAt !== last.at) yield { rule: 'stored', at, what: `${updatedAt}, not ${last.at}` };
  }
}
