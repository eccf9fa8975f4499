import { expect } from 'chai';
import { violationsOf } from './check.ts';
import type { Fact, HistoryRow, RecordedAct, RecordedCall, Rewrite, RunRecord } from './record.ts';
import { type Rule, rules } from './violations.ts';

/** Whose campaigns and keys they are. */
const [owner, other] = [1, 2];
const key = { ofOwner: 11, ofOther: 12 };
const [campaign, mirror] = [5, 50];
const created = 'https://a.example/0';
const elsewhere = 'https://a.example/1';

const at = (time: number) => `2026-11-20T15:36:00.${String(time).padStart(6, '0')}Z`;

function call(begin: number, more: Partial<RecordedCall> = {}): RecordedCall {
  const address = `https://a.example/${begin}`;
  const asked = { requestId: `call-${begin}`, campaign, key: key.ofOwner, address };
  return { ...asked, status: 200, begin, end: begin + 10, ...more };
}

/** The row of a call, as it is when nothing is wrong. */
function rowOf({ begin, requestId, key: by, address }: RecordedCall): HistoryRow {
  const whose = { campaign, mirror, key: by, owner: by === key.ofOwner ? owner : other };
  return { id: begin, ...whose, before: created, after: address, at: at(begin + 5), requestId };
}

/** Each address before is the address after of the row before. */
const chained = (...rows: readonly HistoryRow[]): HistoryRow[] =>
  rows.map((row, place) => ({ ...row, before: rows[place - 1]?.after ?? created }));

const act = (begin: number, what: Fact, end = begin + 10): RecordedAct => ({ ...what, begin, end });
const click = (begin: number, counted?: boolean) => ({ campaign, begin, end: begin + 5, counted });
const stored = (rows: readonly HistoryRow[], clicks = 0) => {
  const { after = created, at: updatedAt = at(0) } = rows.at(-1) ?? {};
  return { id: mirror, campaign, address: after, clicks, updatedAt };
};

interface Given extends Partial<RunRecord> {
  /** After those by which there are a campaign, its mirror and two keys. */
  readonly later?: readonly RecordedAct[];
}

/** Calls from 100 on; each 200 has its row, in the order of the calls, and the mirror is as the last one says. */
function recordOf({ calls = [first, second], later = [], ...more }: Given = {}): RunRecord {
  const rows = chained(...calls.filter(({ status }) => status === 200).map(rowOf));
  const acts = [
    act(0, { kind: 'campaign-created', campaign, owner }),
    act(20, { kind: 'mirror-created', campaign, address: created }),
    act(40, { kind: 'key-issued', key: key.ofOwner, owner }),
    act(60, { kind: 'key-issued', key: key.ofOther, owner: other }),
    ...later,
  ];
  const mirrors = [stored(more.history ?? rows)];
  return { calls, acts, rewrites: [], clicks: [], history: rows, mirrors, longestCall: 1000, ...more };
}

const [first, second, third] = [call(100), call(200), call(300)];
const rows = chained(rowOf(first), rowOf(second), rowOf(third));
/** The second call's row is written before the first one's. */
const swapped = chained({ ...rowOf(second), id: 1, at: at(1) }, rowOf(first));
const twice = chained(rowOf(first), { ...rowOf(first), id: 101, at: at(106) });
const strangers = call(100, { key: key.ofOther });
const told = { id: mirror, campaign, address: first.address, clicks: 0, updatedAt: at(105) };
const transferred = { kind: 'transferred', campaign, owner: other } as const;
const isDefault = { kind: 'default-changed', campaign, isDefault: true } as const;
const revoked = { kind: 'key-ends', key: key.ofOwner, after: 0 } as const;

const refused = (status: number, ...later: RecordedAct[]) =>
  recordOf({ calls: [call(100, { status })], later });
const afterThat = (...later: RecordedAct[]) => recordOf({ calls: [first], later });
const withSecondRow = (changed: Partial<HistoryRow>) =>
  recordOf({ history: chained(rowOf(first), { ...rowOf(second), ...changed }) });
const moved = (more: Partial<Rewrite>) => {
  const move = { requestId: 'move-200', begin: 200, end: 210, wrote: [], isUnsure: false, ...more };
  const history = [{ ...rowOf(second), requestId: 'move-200', key: null }];
  return recordOf({ calls: [], history, rewrites: [move] });
};
const withMirror = (changed: Partial<RunRecord['mirrors'][number]>) =>
  recordOf({ mirrors: [{ ...stored(rows.slice(0, 2)), ...changed }] });

type Cases = Readonly<Record<string, RunRecord>>;

/** Of each rule, records that break it and no other one. */
const planted: Record<Rule, Cases> = {
  'one-row': {
    'a 200 without a row': recordOf({ history: [rowOf(first)] }),
    'a 200 with two rows': recordOf({ calls: [first], history: twice }),
    'a move that told of a mirror without a row': moved({
      wrote: [
        { campaign, address: second.address },
        { campaign: 6, address: elsewhere },
      ],
    }),
  },
  'no-row': {
    'a 422 with a row': recordOf({ calls: [call(100, { status: 422 })], history: [rowOf(first)] }),
    'a 503 with two rows': recordOf({ calls: [call(100, { status: 503 })], history: twice }),
    'a move that ended well, and a row of which it did not tell': moved({}),
  },
  condition: {
    'a 200 in spite of its condition': recordOf({ calls: [first, { ...second, requires: 99 }] }),
    'a 412 where its condition held': recordOf({
      calls: [first, call(200, { status: 412, requires: 100, lastChange: 100, mirror: told })],
    }),
    'a 412 without a condition': recordOf({
      calls: [first, call(200, { status: 412, lastChange: 100, mirror: told })],
    }),
    'a 412 with the mirror of another change': recordOf({
      calls: [first, second, call(300, { status: 412, requires: 0, lastChange: 200, mirror: told })],
    }),
  },
  'row-of-nobody': {
    'a row that nobody asked for': recordOf({ calls: [first], history: rows.slice(0, 2) }),
  },
  'row-as-asked': {
    'another address': withSecondRow({ after: elsewhere }),
    'another key': withSecondRow({ key: key.ofOther }),
    'another owner': withSecondRow({ owner: other }),
    'an answer with another time': recordOf({
      calls: [{ ...first, mirror: { ...told, updatedAt: at(106) } }],
    }),
    'a move to another address': moved({ wrote: [{ campaign, address: elsewhere }] }),
  },
  chain: {
    'a lost update': recordOf({ history: [rowOf(first), rowOf(second)] }),
    'a mirror that was created with another address': recordOf({
      calls: [first],
      history: [{ ...rowOf(first), before: elsewhere }],
    }),
  },
  stored: {
    'another address': withMirror({ address: elsewhere }),
    'another time': withMirror({ updatedAt: at(206) }),
    'no row at all, and not as it was created': recordOf({
      calls: [],
      mirrors: [{ ...stored([]), address: elsewhere }],
    }),
  },
  rising: { 'a time twice': withSecondRow({ at: at(105) }) },
  order: {
    'a call after one that had not begun': recordOf({ history: swapped }),
    'with another one between them': recordOf({
      calls: [first, second, call(50, { end: 400, requestId: 'call-300', address: third.address })],
      history: chained(
        { ...rowOf(second), id: 1, at: at(1) },
        { ...rowOf(third), id: 2, at: at(2) },
        rowOf(first),
      ),
    }),
  },
  owner: {
    'the owner of before': afterThat(act(80, transferred)),
    'a stranger': recordOf({ calls: [strangers] }),
    'a stranger who was told 503': recordOf({
      calls: [{ ...strangers, status: 503 }],
      history: [rowOf(strangers)],
    }),
    'the owner of before, in the chain behind a call of the next one that began after the transfer': recordOf(
      {
        calls: [call(140, { end: 400 }), call(200, { key: key.ofOther })],
        later: [act(150, transferred)],
        history: chained({ ...rowOf(call(200, { key: key.ofOther })), id: 1, at: at(1) }, rowOf(call(140))),
      },
    ),
  },
  default: { 'of a default campaign': afterThat(act(80, isDefault)) },
  mirror: {
    'a mirror that is created later': recordOf({ calls: [call(5, { end: 15 })] }),
    'a campaign that was deleted': afterThat(act(80, { kind: 'campaign-deleted', campaign })),
  },
  moment: {
    'the campaign was the other one’s only while it was the default one': recordOf({
      calls: [{ ...strangers, end: 400 }],
      later: [
        act(80, isDefault),
        act(150, transferred),
        act(200, { ...transferred, owner }),
        act(300, { ...isDefault, isDefault: false }),
      ],
    }),
  },
  key: {
    revoked: afterThat(act(80, revoked)),
    expired: afterThat(act(50, { ...revoked, after: 30 })),
  },
  clicks: {
    'a lost one': recordOf({ clicks: [click(100, true)] }),
    'one too many': recordOf({ clicks: [click(100, false)], mirrors: [stored(rows.slice(0, 2), 1)] }),
    'an answer that lost one': recordOf({
      calls: [{ ...first, mirror: told }],
      clicks: [click(90, true)],
      mirrors: [stored(rows.slice(0, 1), 1)],
    }),
  },
  refusal: {
    '403 for the owner': refused(403),
    '404 for a campaign': refused(404),
    '412 for a stranger': recordOf({ calls: [{ ...strangers, status: 412, requires: 7, lastChange: 0 }] }),
    '401 for a key that was revoked later': refused(401, act(200, revoked)),
  },
  status: { 'a fault of ours': refused(500) },
  time: { 'a call that hangs': recordOf({ calls: [call(100, { end: 1101 })] }) },
};

/** What is as it should be, close to what is not. */
const fine: Cases = {
  'two calls': recordOf(),
  'two at once, in either order': recordOf({ calls: [call(100, { end: 250 }), second], history: swapped }),
  'a 503 with a row, and one without': recordOf({
    calls: [call(100, { status: 503 }), call(200, { status: 503 })],
    history: [rowOf(first)],
  }),
  'a broken connection whose update was made later': recordOf({
    calls: [call(100, { status: undefined }), second],
    history: swapped,
  }),
  'the owner of before, while the campaign was transferred': afterThat(act(105, transferred)),
  'the next owner, while two transfers overlap': recordOf({
    later: [act(80, { ...transferred, owner }, 95), act(85, transferred, 96)],
    calls: [strangers],
  }),
  'conditions, one that holds and one that does not': recordOf({
    calls: [
      { ...first, requires: 0, lastChange: 100 },
      call(200, { status: 412, requires: 0, lastChange: 100, mirror: told }),
      call(300, { status: 412, requires: 7, lastChange: 100, mirror: { ...told } }),
    ],
  }),
  'a stranger is refused': recordOf({ calls: [{ ...strangers, status: 403 }] }),
  'the owner is refused while the campaign was the default one': refused(403, act(105, isDefault)),
  'a key that is revoked meanwhile, updating and refused': recordOf({
    later: [act(95, revoked)],
    calls: [first, call(103, { status: 401 })],
  }),
  'a click whose end nobody saw, counted or not': recordOf({
    clicks: [click(100), click(200)],
    mirrors: [stored(rows.slice(0, 2), 1)],
  }),
  'a move that did not end well, and a row of it': moved({ isUnsure: true }),
};

describe('the checker of histories', () => {
  for (const [what, record] of Object.entries(fine))
    it(`finds nothing: ${what}`, () => expect(violationsOf(record)).to.deep.equal([]));

  for (const [rule, cases] of Object.entries(planted))
    for (const [what, record] of Object.entries(cases))
      it(`finds what breaks “${rules[rule as Rule]}”: ${what}`, () => {
        const found = violationsOf(record).map((violation) => violation.rule);
        expect([...new Set(found)]).to.deep.equal([rule]);
      });
});
