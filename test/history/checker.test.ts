import { expect } from 'chai';
import { violationsOf } from './check.ts';
import type { RunRecord } from './record.ts';
import {
  act,
  at,
  call,
  campaign,
  chained,
  key,
  mirror,
  move,
  other,
  owner,
  recordOf,
  rowOf,
  storedAfter,
} from './small-record.ts';
import { type Rule, rules } from './violations.ts';

const [first, second, third] = [call(100), call(200), call(300)];
const rows = chained([first, second, third].map(rowOf));
const moved = { ...rowOf(second), requestId: 'move-200', key: null };
const click = (begin: number, counted?: boolean) => ({ campaign, begin, end: begin + 5, counted });
const told = { id: mirror, campaign, address: first.address, clicks: 0, updatedAt: at(105) };
const transferred = { kind: 'transferred', campaign, owner: other } as const;
const isDefault = { kind: 'default-changed', campaign, isDefault: true } as const;
const revoked = { kind: 'key-ends', key: key.ofOwner, after: 0 } as const;

type Cases = readonly (readonly [what: string, record: RunRecord])[];

/** Of each rule, records that break it and no other one. */
const planted: Record<Rule, Cases> = {
  'one-row': [
    ['a 200 without a row', recordOf({ history: [rowOf(first)] })],
    [
      'a 200 with two rows',
      recordOf({
        calls: [first],
        history: chained([rowOf(first), { ...rowOf(first), id: 101, at: at(106) }]),
      }),
    ],
    [
      'a move that told of a mirror without a row',
      recordOf({ rewrites: [move(200, { wrote: [{ campaign, address: 'https://a.example/1' }] })] }),
    ],
  ],
  'no-row': [
    ['a 422 with a row', recordOf({ calls: [call(100, { status: 422 })], history: [rowOf(first)] })],
    [
      'a 503 with two rows',
      recordOf({
        calls: [call(100, { status: 503 })],
        history: chained([rowOf(first), { ...rowOf(first), id: 101, at: at(106) }]),
      }),
    ],
    [
      'a move that ended well, and a row of which it did not tell',
      recordOf({ calls: [], rewrites: [move(200)], history: [{ ...moved, key: null }] }),
    ],
  ],
  'row-of-nobody': [['a row that nobody asked for', recordOf({ calls: [first], history: rows.slice(0, 2) })]],
  'row-as-asked': [
    [
      'another address',
      recordOf({ history: chained([rowOf(first), { ...rowOf(second), after: 'https://a.example/1' }]) }),
    ],
    ['another key', recordOf({ history: chained([rowOf(first), { ...rowOf(second), key: key.ofOther }]) })],
    ['another owner', recordOf({ history: chained([rowOf(first), { ...rowOf(second), owner: other }]) })],
    [
      'an answer with another time',
      recordOf({ calls: [{ ...first, mirror: { ...told, updatedAt: at(106) } }] }),
    ],
    [
      'a move to another address',
      recordOf({
        calls: [],
        history: [moved],
        rewrites: [move(200, { wrote: [{ campaign, address: 'https://b.example/' }] })],
      }),
    ],
  ],
  chain: [
    ['a lost update', recordOf({ history: [rowOf(first), rowOf(second)] })],
    [
      'a mirror that was created with another address',
      recordOf({ calls: [first], history: [{ ...rowOf(first), before: 'https://a.example/1' }] }),
    ],
  ],
  stored: [
    [
      'another address',
      recordOf({ mirrors: [{ ...storedAfter(rows.slice(0, 2)), address: 'https://a.example/1' }] }),
    ],
    ['another time', recordOf({ mirrors: [{ ...storedAfter(rows.slice(0, 2)), updatedAt: at(206) }] })],
    [
      'no row at all, and not as it was created',
      recordOf({ calls: [], mirrors: [{ ...storedAfter([]), address: 'https://a.example/1' }] }),
    ],
  ],
  rising: [
    ['a time twice', recordOf({ history: chained([rowOf(first), { ...rowOf(second), at: at(105) }]) })],
  ],
  order: [
    [
      'a call after one that had not begun',
      recordOf({ history: chained([{ ...rowOf(second), id: 1, at: at(1) }, rowOf(first)]) }),
    ],
    [
      'with another one between them',
      recordOf({
        calls: [first, second, call(50, { end: 400, requestId: 'call-300', address: third.address })],
        history: chained([
          { ...rowOf(second), id: 1, at: at(1) },
          { ...rowOf(third), id: 2, at: at(2) },
          rowOf(first),
        ]),
      }),
    ],
  ],
  owner: [
    ['the owner of before', recordOf({ later: [act(80, transferred)], calls: [first] })],
    ['a stranger', recordOf({ calls: [call(100, { key: key.ofOther })] })],
    [
      'a stranger who was told 503',
      recordOf({
        calls: [call(100, { key: key.ofOther, status: 503 })],
        history: [rowOf(call(100, { key: key.ofOther }))],
      }),
    ],
    [
      'the owner of before, in the chain behind a call of the next one that began after the transfer',
      recordOf({
        calls: [call(140, { end: 400 }), call(200, { key: key.ofOther })],
        later: [act(150, transferred)],
        history: chained([{ ...rowOf(call(200, { key: key.ofOther })), id: 1, at: at(1) }, rowOf(call(140))]),
      }),
    ],
  ],
  default: [['of a default campaign', recordOf({ later: [act(80, isDefault)], calls: [first] })]],
  mirror: [
    ['a mirror that is created later', recordOf({ calls: [call(5, { end: 15 })] })],
    [
      'a campaign that was deleted',
      recordOf({ calls: [first], later: [act(80, { kind: 'campaign-deleted', campaign })] }),
    ],
  ],
  moment: [
    [
      'the campaign was the other one’s only while it was the default one',
      recordOf({
        calls: [call(100, { end: 400, key: key.ofOther })],
        later: [
          act(80, isDefault),
          act(150, transferred),
          act(200, { ...transferred, owner }),
          act(300, { ...isDefault, isDefault: false }),
        ],
      }),
    ],
  ],
  key: [
    ['revoked', recordOf({ later: [act(80, revoked)], calls: [first] })],
    ['expired', recordOf({ later: [act(50, { ...revoked, after: 30 })], calls: [first] })],
  ],
  clicks: [
    ['a lost one', recordOf({ clicks: [click(100, true)] })],
    ['one too many', recordOf({ clicks: [click(100, false)], mirrors: [storedAfter(rows.slice(0, 2), 1)] })],
    [
      'an answer that lost one',
      recordOf({
        calls: [{ ...first, mirror: told }],
        clicks: [click(90, true)],
        mirrors: [storedAfter(rows.slice(0, 1), 1)],
      }),
    ],
  ],
  refusal: [
    ['403 for the owner', recordOf({ calls: [call(100, { status: 403 })] })],
    ['404 for a campaign', recordOf({ calls: [call(100, { status: 404 })] })],
    [
      '401 for a key that was revoked later',
      recordOf({ calls: [call(100, { status: 401 })], later: [act(200, revoked)] }),
    ],
  ],
  status: [['a fault of ours', recordOf({ calls: [call(100, { status: 500 })] })]],
  time: [['a call that hangs', recordOf({ calls: [call(100, { end: 1101 })] })]],
};

/** What is as it should be, close to what is not. */
const fine: Cases = [
  ['two calls', recordOf()],
  [
    'two at once, in either order',
    recordOf({
      calls: [call(100, { end: 250 }), second],
      history: chained([{ ...rowOf(second), id: 1, at: at(1) }, rowOf(first)]),
    }),
  ],
  [
    'a 503 with a row, and one without',
    recordOf({ calls: [call(100, { status: 503 }), call(200, { status: 503 })], history: [rowOf(first)] }),
  ],
  [
    'a broken connection whose update was made later',
    recordOf({
      calls: [call(100, { status: undefined }), second],
      history: chained([{ ...rowOf(second), id: 1, at: at(1) }, rowOf(first)]),
    }),
  ],
  [
    'the owner of before, while the campaign was transferred',
    recordOf({ later: [act(105, transferred)], calls: [first] }),
  ],
  [
    'the next owner, while two transfers overlap',
    recordOf({
      later: [act(80, { ...transferred, owner }, 95), act(85, transferred, 96)],
      calls: [call(100, { key: key.ofOther })],
    }),
  ],
  ['a stranger is refused', recordOf({ calls: [call(100, { key: key.ofOther, status: 403 })] })],
  [
    'the owner is refused while the campaign was the default one',
    recordOf({ later: [act(105, isDefault)], calls: [call(100, { status: 403 })] }),
  ],
  [
    'a key that is revoked meanwhile, updating and refused',
    recordOf({ later: [act(95, revoked)], calls: [first, call(103, { status: 401 })] }),
  ],
  [
    'a click whose end nobody saw, counted or not',
    recordOf({ clicks: [click(100), click(200)], mirrors: [storedAfter(rows.slice(0, 2), 1)] }),
  ],
  [
    'a move that did not end well, and a row of it',
    recordOf({ calls: [], rewrites: [move(200, { isUnsure: true })], history: [moved] }),
  ],
];

describe('the checker of histories', () => {
  for (const [what, record] of fine)
    it(`finds nothing: ${what}`, () => expect(violationsOf(record)).to.deep.equal([]));

  for (const [rule, cases] of Object.entries(planted))
    describe(`finds what breaks “${rules[rule as Rule]}”`, () => {
      for (const [what, record] of cases)
        it(what, () => {
          const found = violationsOf(record).map((violation) => violation.rule);
          expect([...new Set(found)]).to.deep.equal([rule]);
        });
    });
});
