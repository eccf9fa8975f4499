import type { RecordedAct, RecordedCall, RunRecord, Span } from './record.ts';
import { writingsOf } from './spans.ts';
import type { Rule, Violation } from './violations.ts';

/** Who updated and who was refused, against what may have been so while they called. */
export function* checkRights(record: RunRecord): Generator<Violation> {
  const { calls, acts } = record;
  const campaigns = factsOf(acts);
  const keys = keysOf(acts);
  const writings = writingsOf(record);
  for (const call of calls) {
    const [facts, key] = [campaigns.get(call.campaign), keys.get(call.key)];
    const written = writings.get(call.requestId);
    if (written || call.status === 200) yield* checkUpdate(call, written ?? call, facts, key);
    else if (facts && key) yield* checkRefusal(call, facts, key);
  }
}

function* checkUpdate(
  call: RecordedCall,
  written: Span,
  facts: CampaignFacts | undefined,
  key: KeyFacts | undefined,
): Generator<Violation> {
  const at = call.requestId;
  if (!key || key.hasEnded <= call.begin) yield { rule: 'key', at, what: `key ${call.key}` };
  const needed: [Rule, Possible<unknown>[], unknown][] = [
    ['owner', during(facts?.owner ?? [], written), key?.owner],
    ['default', during(facts?.isDefault ?? [], written), false],
    ['mirror', during(facts?.hasMirror ?? [], written), true],
  ];
  const allowed = needed.map(([, possible, value]) => possible.filter((one) => one.value === value));
  for (const [place, [rule, possible]] of needed.entries())
    if (allowed[place]?.length === 0) yield { rule, at, what: `only ${possible.map(({ value }) => value)}` };
  if (allowed.every(({ length }) => length > 0) && !haveMoment(allowed, written))
    yield { rule: 'moment', at, what: `campaign ${call.campaign}` };
}

/** Whether one of each may have held at the same moment of the span. */
function haveMoment([first = [], ...rest]: Possible<unknown>[][], { begin, end }: Span): boolean {
  return first.some(({ from, to }) => {
    const shared = { begin: Math.max(begin, from), end: Math.min(end, to) };
    return shared.begin <= shared.end && (rest.length === 0 || haveMoment(rest, shared));
  });
}

function* checkRefusal(call: RecordedCall, facts: CampaignFacts, key: KeyFacts): Generator<Violation> {
  const { status } = call;
  const may = (possible: readonly Possible<unknown>[], value: unknown) =>
    during(possible, call).some((one) => one.value === value);
  const causes: Record<number, boolean> = {
    401: key.mayEnd <= call.end,
    403:
      during(facts.owner, call).some(({ value }) => value !== key.owner) ||
      may(facts.isDefault, true) ||
      may(facts.hasMirror, false),
    404: may(facts.exists, false),
  };
  if (status !== undefined && causes[status] === false)
    yield { rule: 'refusal', at: call.requestId, what: `${status} without a cause` };
}

/** A value that a fact may have had from a moment to another. */
interface Possible<Value> {
  readonly value: Value;
  readonly from: number;
  readonly to: number;
}

/** What may have been so of a campaign, and when. */
interface CampaignFacts {
  readonly owner: readonly Possible<number>[];
  readonly isDefault: readonly Possible<boolean>[];
  readonly hasMirror: readonly Possible<boolean>[];
  readonly exists: readonly Possible<boolean>[];
}

/**
 * A value may hold from the beginning of the act that wrote it to the end of the first one that surely came later.
 * Acts that overlap came in either order.
 */
function possibleOf<Value>(writes: readonly (Span & { readonly value: Value })[]): Possible<Value>[] {
  return writes.map(({ begin, end, value }) => {
    const later = writes.filter((other) => other.begin >= end).map((other) => other.end);
    return { value, from: begin, to: Math.min(Number.POSITIVE_INFINITY, ...later) };
  });
}

function factsOf(acts: readonly RecordedAct[]): Map<number, CampaignFacts> {
  const about = acts.filter((act) => 'campaign' in act);
  return new Map(
    [...Map.groupBy(about, ({ campaign }) => campaign)].map(([campaign, own]) => {
      const writes = <Value>(valueIn: (act: RecordedAct) => Value | undefined) =>
        possibleOf(
          own.flatMap((act) => {
            const value = valueIn(act);
            return value === undefined ? [] : [{ begin: act.begin, end: act.end, value }];
          }),
        );
      return [
        campaign,
        {
          owner: writes((act) => ('owner' in act ? act.owner : undefined)),
          isDefault: writes((act) => ('isDefault' in act ? act.isDefault : undefined)),
          hasMirror: writes(({ kind }) =>
            kind === 'mirror-created' ? true : /^campaign-/.test(kind) ? false : undefined,
          ),
          exists: writes(({ kind }) =>
            kind === 'campaign-created' ? true : kind === 'campaign-deleted' ? false : undefined,
          ),
        },
      ];
    }),
  );
}

/** Those that may have held at some moment of the span. */
function during<Value>(possible: readonly Possible<Value>[], { begin, end }: Span): Possible<Value>[] {
  return possible.filter(({ from, to }) => from <= end && to > begin);
}

/** When a key may have ended at the earliest, and when it had surely ended. */
interface KeyFacts {
  readonly owner: number;
  readonly mayEnd: number;
  readonly hasEnded: number;
}

function keysOf(acts: readonly RecordedAct[]): Map<number, KeyFacts> {
  const ends = Map.groupBy(
    acts.filter((act) => act.kind === 'key-ends'),
    ({ key }) => key,
  );
  return new Map(
    acts
      .filter((act) => act.kind === 'key-issued')
      .map(({ key, owner }) => {
        const own = ends.get(key) ?? [];
        const first = (times: number[]) => Math.min(Number.POSITIVE_INFINITY, ...times);
        const mayEnd = first(own.map(({ begin, after }) => begin + after));
        return [key, { owner, mayEnd, hasEnded: first(own.map(({ end, after }) => end + after)) }];
      }),
  );
}
