import type { HistoryRow, RecordedAct, RecordedCall, Rewrite, RunRecord } from './record.ts';

/** Whose campaigns and keys they are. */
export const [owner, other] = [1, 2];
export const key = { ofOwner: 11, ofOther: 12 };
export const campaign = 5;
export const mirror = 50;
const created = 'https://a.example/0';

export const at = (time: number) => `2026-11-20T15:36:00.${String(time).padStart(6, '0')}Z`;
const address = (time: number) => `https://a.example/${time}`;

export function call(begin: number, more: Partial<RecordedCall> = {}): RecordedCall {
  const end = begin + 10;
  const asked = { requestId: `call-${begin}`, campaign, key: key.ofOwner, address: address(begin) };
  return { ...asked, status: 200, begin, end, ...more };
}

/** The row of a call, as it is when nothing is wrong. */
export function rowOf({ begin, requestId, campaign, key, address }: RecordedCall): HistoryRow {
  const owners: Record<number, number> = { 11: owner, 12: other };
  const written = { before: created, after: address, at: at(begin + 5) };
  return { id: begin, campaign, mirror, key, owner: owners[key] ?? 0, ...written, requestId };
}

export const act = (begin: number, what: Parameters<typeof acting>[1], end = begin + 10): RecordedAct =>
  acting({ begin, end }, what);

type Distributed<T> = T extends unknown ? Omit<T, 'begin' | 'end'> : never;
const acting = (span: { begin: number; end: number }, what: Distributed<RecordedAct>) =>
  ({ ...span, ...what }) as RecordedAct;

export const move = (begin: number, more: Partial<Rewrite> = {}): Rewrite => ({
  requestId: `move-${begin}`,
  begin,
  end: begin + 10,
  wrote: [],
  isUnsure: false,
  ...more,
});

interface Given extends Partial<RunRecord> {
  /** After those by which there are a campaign, its mirror and two keys. */
  readonly later?: readonly RecordedAct[];
}

/** Calls from 100 on; each 200 has its row, in the order of the calls, and the mirror is as the last one says. */
export function recordOf({ calls = [call(100), call(200)], later = [], ...more }: Given = {}): RunRecord {
  const rows = chained(calls.filter(({ status }) => status === 200).map(rowOf));
  return {
    calls,
    acts: [
      act(0, { kind: 'campaign-created', campaign, owner, isDefault: false }),
      act(20, { kind: 'mirror-created', campaign, address: created }),
      act(40, { kind: 'key-issued', key: key.ofOwner, owner }),
      act(60, { kind: 'key-issued', key: key.ofOther, owner: other }),
      ...later,
    ],
    rewrites: [],
    clicks: [],
    history: rows,
    mirrors: [storedAfter(more.history ?? rows)],
    longestCall: 1000,
    ...more,
  };
}

/** Each address before is the address after of the row before. */
export function chained(rows: readonly HistoryRow[]): HistoryRow[] {
  return rows.map((row, place) => ({ ...row, before: rows[place - 1]?.after ?? created }));
}

export function storedAfter(rows: readonly HistoryRow[], clicks = 0) {
  const { after = created, at: updatedAt = at(0) } = rows.at(-1) ?? {};
  return { id: mirror, campaign, address: after, clicks, updatedAt };
}
