import { expect } from 'chai';
import { violationsOf } from './check.ts';
import type { Fact, HistoryRow, RecordedAct, RecordedCall, RunRecord } from './record.ts';
import { type Rule, rules } from './violations.ts';

const [owner, other] = [1, 2];
const key = { ofOwner: 11, ofOther: 12 };
const [campaign, mirror] = [5, 50];
const created = 'https://a.example/0';
const elsewhere = 'https://a.example/elsewhere';

const at = (time: number) => `2026-11-20T15:36:00.${String(time).padStart(6, '0')}Z`;

function call(begin: number, more: Partial<RecordedCall> = {}): RecordedCall {
  const address = `https://a.example/${begin}`;
  const sent = { requestId: `call-${begin}`, campaign, key: key.ofOwner, address };
  return { ...sent, status: 200, begin, end: begin + 10, ...more };
}

/** The row of a call, if nothing is wrong. */
function rowOf({ begin, requestId, key: by, address }: RecordedCall): HistoryRow {
  const whose = { campaign, mirror, key: by, owner: by === key.ofOwner ? owner : other };
  return { id: begin, ...whose, before: created, after: address, at: at(begin + 5), requestId };
}

/** Each address before is the address after of the previous row. */
const chained = (...rows: readonly HistoryRow[]): HistoryRow[] =>
  rows.map((row, nth) => ({ ...row, before: rows[nth - 1]?.after ?? created }));

const act = (begin: number, what: Fact, end = begin + 10): RecordedAct => ({ ...what, begin, end });
const stored = (rows: readonly HistoryRow[]) => {
  const { after = created, at: updatedAt = at(0) } = rows.at(-1) ?? {};
  return { id: mirror, campaign, address: after, updatedAt };
};

/** Each 200 has its row, in the order of the calls. `later`: acts after those that make campaign, mirror and keys. */
function recordOf({
  calls = [first, second],
  later = [],
  ...more
}: Partial<RunRecord> & { readonly later?: readonly RecordedAct[] } = {}): RunRecord {
  const history = chained(...calls.filter(({ status }) => status === 200).map(rowOf));
  const acts = [
    act(0, { campaign, owner, isDefault: false, mirror: null, exists: true }),
    act(20, { campaign, mirror: created }),
    act(40, { key: key.ofOwner, owner }),
    act(60, { key: key.ofOther, owner: other }),
    ...later,
  ];
  const mirrors = [stored(more.history ?? history)];
  return { calls, acts, operators: [], history, mirrors, longestCall: 1000, ...more };
}

const [first, second] = [call(100), call(200)];
/** The second call's row comes before the first one's. */
const swapped = chained({ ...rowOf(second), id: 1, at: at(1) }, rowOf(first));
const inOrder = [rowOf(first), rowOf(second)];
const twice = chained(rowOf(first), { ...rowOf(first), id: 101, at: at(106) });
const strangers = call(100, { key: key.ofOther });
const told = { id: mirror, campaign, address: first.address, updatedAt: at(105) };
const transferred = { campaign, owner: other };
const isDefault = { campaign, isDefault: true };
const revoked = { key: key.ofOwner, isRevoked: true } as const;

const refused = (status: number, ...later: RecordedAct[]) =>
  recordOf({ calls: [call(100, { status })], later });
const afterThat = (...later: RecordedAct[]) => recordOf({ calls: [first], later });
const withSecondRow = (changed: Partial<HistoryRow>) =>
  recordOf({ history: chained(rowOf(first), { ...rowOf(second), ...changed }) });

type Cases = Readonly<Record<string, RunRecord>>;

/** For each rule, records that break this rule only. */
const planted: Record<Rule, Cases> = {
  'one-row': {
    'a 200 without a row': recordOf({ history: [rowOf(first)] }),
  },
  'no-row': {
    'a 422 with a row': recordOf({ calls: [call(100, { status: 422 })], history: [rowOf(first)] }),
    'a 503 with two rows': recordOf({ calls: [call(100, { status: 503 })], history: twice }),
  },
  'row-of-nobody': { 'a row without a call': recordOf({ calls: [first], history: chained(...inOrder) }) },
  'row-as-sent': {
    'another address': withSecondRow({ after: elsewhere }),
    'an answer with another time': recordOf({
      calls: [{ ...first, mirror: { ...told, updatedAt: at(106) } }],
    }),
  },
  chain: { 'a lost update': recordOf({ history: inOrder }) },
  stored: { 'another address': recordOf({ mirrors: [{ ...stored(inOrder), address: elsewhere }] }) },
  rising: { 'the same time twice': withSecondRow({ at: at(105) }) },
  order: { 'a call after one that began later': recordOf({ history: swapped }) },
  rights: {
    'the previous owner': afterThat(act(80, transferred)),
    'the previous owner, behind a call of the next one': recordOf({
      calls: [call(140, { end: 400 }), call(200, { key: key.ofOther })],
      later: [act(150, transferred)],
      history: chained({ ...rowOf(call(200, { key: key.ofOther })), id: 1, at: at(1) }, rowOf(call(140))),
    }),
    'the owner, but only while it was the default campaign': recordOf({
      calls: [{ ...strangers, end: 400 }],
      later: [
        act(80, isDefault),
        act(150, transferred),
        act(200, { ...transferred, owner }),
        act(300, { ...isDefault, isDefault: false }),
      ],
    }),
  },
  key: { 'a revoked key': afterThat(act(80, revoked)) },
  refusal: {
    '403 for the owner': refused(403),
    '401 for a key that was revoked later': refused(401, act(200, revoked)),
  },
  status: { 'a 500': refused(500) },
  time: { 'a call that hangs': recordOf({ calls: [call(100, { end: 1101 })] }) },
};

const fine: Cases = {
  'a 503 with a row, and a 503 without one': recordOf({
    calls: [call(100, { status: 503 }), call(200, { status: 503 })],
    history: [rowOf(first)],
  }),
  'a broken connection whose update was made later': recordOf({
    calls: [call(100, { status: undefined }), second],
    history: swapped,
  }),
  'the previous owner, during the transfer': afterThat(act(105, transferred)),
  'a stranger who is refused': recordOf({ calls: [{ ...strangers, status: 403 }] }),
  'a key during its revocation, updating and refused': recordOf({
    later: [act(95, revoked)],
    calls: [first, call(103, { status: 401 })],
  }),
  'an act of an operator that sets a mirror': recordOf({
    calls: [],
    history: [{ ...rowOf(second), key: null }],
    operators: [{ requestId: second.requestId, begin: 200, end: 210 }],
  }),
};

describe('the checker of histories', () => {
  for (const [what, record] of Object.entries(fine))
    it(`accepts ${what}`, () => expect(violationsOf(record)).to.deep.equal([]));

  for (const [rule, cases] of Object.entries(planted))
    for (const [what, record] of Object.entries(cases))
      it(`reports “${rules[rule as Rule]}”: ${what}`, () => {
        const found = violationsOf(record).map((violation) => violation.rule);
        expect([...new Set(found)]).to.deep.equal([rule]);
      });
});
