import { checkRights } from './check-rights.ts';
import type { HistoryRow, RecordedCall, Rewrite, RunRecord, Span } from './record.ts';
import { chainsOf, spansOf } from './spans.ts';
import type { Violation } from './violations.ts';

/** Everything in the record that breaks a rule; nothing, when all is well. */
export function violationsOf(record: RunRecord): Violation[] {
  return [checkAnswers, checkChains, checkConditions, checkRights, checkClicks].flatMap((check) => [
    ...check(record),
  ]);
}

const refusals: readonly number[] = [400, 401, 403, 404, 405, 408, 412, 413, 415, 417, 422, 429, 431];

/** What callers and operators were told, against the rows of history. */
function* checkAnswers(record: RunRecord): Generator<Violation> {
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
  const { id, address: after, updatedAt } = mirror ?? {};
  const told = mirror && { mirror: id, campaign: mirror.campaign, after, at: updatedAt };
  for (const [name, value] of [asked, told ?? {}].flatMap((said) => Object.entries(said))) {
    const found = row[name as keyof HistoryRow];
    const what = `${name} is ${found}, not ${value}`;
    if (found !== value) yield { rule: 'row-as-asked', at: call.requestId, what };
  }
}

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

/** The rows of each mirror, in the order in which they were written, against each other and the mirror. */
function* checkChains(record: RunRecord): Generator<Violation> {
  const rows = chainsOf(record);
  const created = new Map(
    record.acts.flatMap((act) => (act.kind === 'mirror-created' ? [[act.campaign, act.address]] : [])),
  );
  const spans = spansOf(record);
  for (const chain of rows.values()) {
    let [address, time] = [created.get(chain[0]?.campaign ?? 0), ''];
    /** Of the rows before, the one whose call began last. */
    let last = { begin: Number.NEGATIVE_INFINITY, requestId: '' };
    for (const { requestId: at, id, before, after, at: now } of chain) {
      if (before !== address)
        yield { rule: 'chain', at, what: `row ${id}: before is ${before}, not ${address}` };
      if (!(now > time)) yield { rule: 'rising', at, what: `row ${id}: ${now} after ${time}` };
      [address, time] = [after, now];
      const span = spans.get(at);
      if (!span) continue;
      if (span.end < last.begin) yield { rule: 'order', at, what: `it comes after ${last.requestId}` };
      if (span.begin > last.begin) last = { begin: span.begin, requestId: at };
    }
  }
  for (const { id, campaign, address, updatedAt } of record.mirrors) {
    const at = `mirror ${id} of campaign ${campaign}`;
    const last = rows.get(id)?.at(-1);
    const expected = last?.after ?? created.get(campaign);
    if (address !== expected) yield { rule: 'stored', at, what: `${address}, not ${expected}` };
    if (last && updatedAt !== last.at) yield { rule: 'stored', at, what: `${updatedAt}, not ${last.at}` };
  }
}

/** What calls with a condition replaced, and what they were told that was there instead. */
function* checkConditions(record: RunRecord): Generator<Violation> {
  const rows = new Map(record.history.map((row) => [row.id, row]));
  const replaced = new Map<string, number>();
  for (const chain of chainsOf(record).values())
    for (const [place, { requestId }] of chain.entries()) replaced.set(requestId, chain[place - 1]?.id ?? 0);
  for (const { requestId: at, status, requires, lastChange = -1, mirror } of record.calls) {
    const before = replaced.get(at) ?? requires;
    if (requires !== undefined && before !== requires)
      yield { rule: 'condition', at, what: `it replaced ${before}, not ${requires}` };
    if (status !== 412) continue;
    if (requires === undefined || requires === lastChange)
      yield { rule: 'condition', at, what: `412 at ${lastChange}, which requires ${requires}` };
    const { after, at: time } = rows.get(lastChange) ?? {};
    if (lastChange !== 0 && (mirror?.address !== after || mirror?.updatedAt !== time))
      yield {
        rule: 'condition',
        at,
        what: `${mirror?.address} of ${mirror?.updatedAt} is not change ${lastChange}`,
      };
  }
}

/** The counts that are stored, and those that answers told, against the clicks that somebody else counted. */
function* checkClicks({ clicks, mirrors, calls }: RunRecord): Generator<Violation> {
  const made = Map.groupBy(clicks, ({ campaign }) => campaign);
  /** Of those that are counted by then, or may be. */
  const bounds = (campaign: number, { begin, end }: Span) => {
    const own = made.get(campaign) ?? [];
    const least = own.filter((click) => click.counted && click.end <= begin).length;
    return { least, most: own.filter((click) => click.counted !== false && click.begin <= end).length };
  };
  const inTheEnd = { begin: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY };
  const counts = [
    ...mirrors.map(({ id, campaign, clicks }) => ({
      at: `mirror ${id}`,
      clicks,
      ...bounds(campaign, inTheEnd),
    })),
    ...calls.flatMap(({ requestId: at, campaign, mirror, ...span }) =>
      mirror ? [{ at, clicks: mirror.clicks, ...bounds(campaign, span) }] : [],
    ),
  ];
  for (const { at, clicks, least, most } of counts)
    if (clicks < least || clicks > most)
      yield { rule: 'clicks', at, what: `${clicks}, not ${least} to ${most}` };
}
