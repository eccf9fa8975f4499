import type { RecordedAct, RecordedCall, RunRecord, Span } from './record.ts';
import { writingsOf } from './spans.ts';
import type { Rule, Violation } from './violations.ts';

/** Who updated and who was refused, against what may have been so while they called. */
export function* checkRights(record: RunRecord): Generator<Violation> {
  const { calls, acts } = record;
  const about = Map.groupBy(acts, (act) => ('campaign' in act ? act.campaign : undefined));
  const campaigns = new Map([...about].map(([campaign, own]) => [campaign, factsOf(own)]));
  const keys = keysOf(acts);
  const writings = writingsOf(record);
  for (const call of calls) {
    const [facts, key] = [campaigns.get(call.campaign), keys.get(call.key)];
    const written = writings.get(call.requestId);
    if (written || call.status === 200) yield* checkUpdate(call, written ?? call, facts ?? factsOf([]), key);
    else if (facts && key) yield* checkRefusal(call, facts, key);
  }
}

function* checkUpdate(call: RecordedCall, written: Span, facts: Facts, key?: KeyFacts): Generator<Violation> {
  const at = call.requestId;
  if (!key || key.hasEnded <= call.begin) yield { rule: 'key', at, what: `key ${call.key}` };
  const needed: [Rule, Possible[], unknown][] = [
    ['owner', during(facts.owner, written), key?.owner],
    ['default', during(facts.isDefault, written), false],
    ['mirror', during(facts.hasMirror, written), true],
  ];
  const allowed = needed.map(([, possible, value]) => possible.filter((one) => one.value === value));
  for (const [place, [rule, possible]] of needed.entries())
    if (allowed[place]?.length === 0) yield { rule, at, what: `only ${possible.map(({ value }) => value)}` };
  if (allowed.every(({ length }) => length > 0) && !haveMoment(allowed, written))
    yield { rule: 'moment', at, what: `campaign ${call.campaign}` };
}

function haveMoment([first = [], ...rest]: Possible[][], { begin, end }: Span): boolean {
  return first.some(({ from, to }) => {
    const shared = { begin: Math.max(begin, from), end: Math.min(end, to) };
    return shared.begin <= shared.end && (rest.length === 0 || haveMoment(rest, shared));
  });
}

function* checkRefusal(call: RecordedCall, facts: Facts, key: KeyFacts): Generator<Violation> {
  const may = (fact: keyof Values, is: (value: unknown) => boolean) =>
    during(facts[fact], call).some(({ value }) => is(value));
  const causes: Record<number, boolean> = {
    401: key.mayEnd <= call.end,
    403:
      may('owner', (owner) => owner !== key.owner) ||
      may('isDefault', (isDefault) => isDefault === true) ||
      may('hasMirror', (hasMirror) => hasMirror === false),
    404: may('exists', (exists) => exists === false),
    412:
      may('owner', (owner) => owner === key.owner) &&
      may('isDefault', (isDefault) => isDefault === false) &&
      may('hasMirror', (hasMirror) => hasMirror === true),
  };
  if (call.status !== undefined && causes[call.status] === false)
    yield { rule: 'refusal', at: call.requestId, what: `${call.status} without a cause` };
}

interface Values {
  readonly owner?: number;
  readonly isDefault?: boolean;
  readonly hasMirror?: boolean;
  readonly exists?: boolean;
}

function valuesOf(act: RecordedAct): Values {
  if (act.kind === 'campaign-created')
    return { owner: act.owner, isDefault: false, hasMirror: false, exists: true };
  if (act.kind === 'campaign-deleted') return { hasMirror: false, exists: false };
  if (act.kind === 'transferred') return { owner: act.owner };
  if (act.kind === 'default-changed') return { isDefault: act.isDefault };
  return act.kind === 'mirror-created' ? { hasMirror: true } : {};
}

/** A value that may have been so from a moment to another. */
interface Possible {
  readonly value: unknown;
  readonly from: number;
  readonly to: number;
}

type Facts = Readonly<Record<keyof Values, readonly Possible[]>>;

/**
 * A value may hold from the beginning of the act that wrote it to the end of the first one that surely came later.
 * Acts that overlap came in either order.
 */
function factsOf(acts: readonly RecordedAct[]): Facts {
  const of = (fact: keyof Values): Possible[] => {
    const writes = acts.filter((act) => valuesOf(act)[fact] !== undefined);
    return writes.map((act) => {
      const later = writes.filter((other) => other.begin >= act.end).map(({ end }) => end);
      const to = Math.min(Number.POSITIVE_INFINITY, ...later);
      return { value: valuesOf(act)[fact], from: act.begin, to };
    });
  };
  return { owner: of('owner'), isDefault: of('isDefault'), hasMirror: of('hasMirror'), exists: of('exists') };
}

const during = (possible: readonly Possible[], { begin, end }: Span) =>
  possible.filter(({ from, to }) => from <= end && to > begin);

/** When a key may have ended at the earliest, and when it had surely ended. */
interface KeyFacts {
  readonly owner: number;
  readonly mayEnd: number;
  readonly hasEnded: number;
}

function keysOf(acts: readonly RecordedAct[]): Map<number, KeyFacts> {
  const ends = acts.filter((act) => act.kind === 'key-ends');
  const issued = acts.filter((act) => act.kind === 'key-issued');
  return new Map(
    issued.map(({ key, owner }) => {
      const own = ends.filter((end) => end.key === key);
      const first = (times: number[]) => Math.min(Number.POSITIVE_INFINITY, ...times);
      const mayEnd = first(own.map(({ begin, after }) => begin + after));
      return [key, { owner, mayEnd, hasEnded: first(own.map(({ end, after }) => end + after)) }];
    }),
  );
}
