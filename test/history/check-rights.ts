import type { RecordedAct, RecordedCall, RunRecord, Span } from './record.ts';
import { writingsOf } from './spans.ts';
import type { Violation } from './violations.ts';

/** Compares updates and refusals with the facts that may have held while the calls were under way. */
export function* checkRights(record: RunRecord): Generator<Violation> {
  const about = Map.groupBy(record.acts, (act) => ('campaign' in act ? act.campaign : undefined));
  const campaigns = new Map([...about].map(([campaign, acts]) => [campaign, factsOf(acts)]));
  const keys = keysOf(record.acts);
  const writings = writingsOf(record);
  for (const call of record.calls) {
    const [facts, key] = [campaigns.get(call.campaign), keys.get(call.key)];
    const written = writings.get(call.requestId) ?? (call.status === 200 ? call : undefined);
    const at = call.requestId;
    if (!written) {
      if (facts && key && !hasCause(call, facts, key))
        yield { rule: 'refusal', at, what: `${call.status} without a cause` };
      continue;
    }
    if (!key || key.hasEnded <= call.begin) yield { rule: 'key', at, what: `key ${call.key}` };
    if (!facts || !isAllowed(facts, key?.owner, written))
      yield { rule: 'rights', at, what: `campaign ${call.campaign} by key ${call.key}` };
  }
}

function hasCause({ status, ...span }: RecordedCall, facts: Facts, key: KeyFacts): boolean {
  const may = (fact: keyof Facts, value: unknown) => during(facts[fact], span, value).length > 0;
  const isOwners = (possible: Possible) => possible.value === key.owner;
  if (status === 401) return key.mayEnd <= span.end;
  if (status === 403)
    return !during(facts.owner, span).every(isOwners) || may('isDefault', true) || may('hasMirror', false);
  if (status === 404) return may('exists', false);
  return status !== 412 || isAllowed(facts, key.owner, span);
}

/** Whether at some moment of the span all three rules may have allowed an update. */
function isAllowed({ owner, isDefault, hasMirror }: Facts, caller: number | undefined, span: Span): boolean {
  return during(owner, span, caller).some((asOwner) =>
    during(isDefault, overlap(span, asOwner), false).some(
      (noDefault) => during(hasMirror, overlap(overlap(span, asOwner), noDefault), true).length > 0,
    ),
  );
}

/** A value that may have held from one moment to another. */
interface Possible extends Span {
  readonly value: unknown;
}

const overlap = (one: Span, other: Span): Span => ({
  begin: Math.max(one.begin, other.begin),
  end: Math.min(one.end, other.end),
});

const during = (possible: readonly Possible[], span: Span, ...[value]: readonly unknown[]) =>
  possible.filter(
    (one) => one.begin <= span.end && one.end > span.begin && (value ?? one.value) === one.value,
  );

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

type Facts = Readonly<Record<keyof Values, readonly Possible[]>>;

/**
 * A value may hold from the beginning of the act that wrote it to the end of the first act that surely came later.
 * Acts that overlap may have come in either order.
 */
function factsOf(acts: readonly RecordedAct[]): Facts {
  const of = (fact: keyof Values): Possible[] => {
    const writes = acts.filter((act) => valuesOf(act)[fact] !== undefined);
    return writes.map((act) => {
      const later = writes.filter((other) => other.begin >= act.end).map(({ end }) => end);
      return { value: valuesOf(act)[fact], begin: act.begin, end: Math.min(...later) };
    });
  };
  return { owner: of('owner'), isDefault: of('isDefault'), hasMirror: of('hasMirror'), exists: of('exists') };
}

/** The first moment at which a key may have ended, and the first at which it surely had. */
interface KeyFacts {
  readonly owner: number;
  readonly mayEnd: number;
  readonly hasEnded: number;
}

function keysOf(acts: readonly RecordedAct[]): Map<number, KeyFacts> {
  const revoked = acts.filter((act) => act.kind === 'key-revoked');
  const issued = acts.filter((act) => act.kind === 'key-issued');
  return new Map(
    issued.map(({ key, owner }) => {
      const own = revoked.filter((act) => act.key === key);
      const [begins, ends] = [own.map(({ begin }) => begin), own.map(({ end }) => end)];
      return [key, { owner, mayEnd: Math.min(...begins), hasEnded: Math.min(...ends) }];
    }),
  );
}
