import type { CampaignFact, RecordedAct, RecordedCall, RunRecord, Span } from './record.ts';
import { writingsOf } from './spans.ts';
import type { Violation } from './violations.ts';

/** Compares updates and refusals with the facts that may have held while the calls were under way. */
export function* checkRights(record: RunRecord): Generator<Violation> {
  const facts = record.acts.filter((act) => 'campaign' in act);
  const about = Map.groupBy(facts, ({ campaign }) => campaign);
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
    return !during(facts.owner, span).every(isOwners) || may('isDefault', true) || may('mirror', null);
  return status !== 404 || may('exists', false);
}

/** Whether at some moment of the span all three rules may have allowed an update. */
function isAllowed(facts: Facts, caller: number | undefined, span: Span): boolean {
  const mirrors = facts.mirror.filter(({ value }) => value !== null);
  return during(facts.owner, span, caller).some((owner) =>
    during(facts.isDefault, overlap(span, owner), false).some(
      (flag) => during(mirrors, overlap(overlap(span, owner), flag)).length > 0,
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

const during = (possible: readonly Possible[], span: Span, ...values: readonly unknown[]) =>
  possible
    .filter(({ begin, end }) => begin <= span.end && end > span.begin)
    .filter(({ value }) => values.length === 0 || values.includes(value));

type Values = Omit<CampaignFact, 'campaign'>;
type Facts = Readonly<Record<keyof Values, readonly Possible[]>>;

/**
 * A value may hold from the beginning of the act that wrote it to the end of the first act that surely came later.
 * Acts that overlap may have come in either order.
 */
function factsOf(acts: readonly (Span & Values)[]): Facts {
  const of = (fact: keyof Values): Possible[] => {
    const writes = acts.filter((act) => act[fact] !== undefined);
    return writes.map((act) => {
      const later = writes.filter((other) => other.begin >= act.end).map(({ end }) => end);
      return { value: act[fact], begin: act.begin, end: Math.min(...later) };
    });
  };
  return { owner: of('owner'), isDefault: of('isDefault'), mirror: of('mirror'), exists: of('exists') };
}

/** The first moment at which a key may have ended, and the first at which it surely had. */
interface KeyFacts {
  readonly owner: number;
  readonly mayEnd: number;
  readonly hasEnded: number;
}

function keysOf(acts: readonly RecordedAct[]): Map<number, KeyFacts> {
  const revoked = acts.filter((act) => 'isRevoked' in act);
  const issued = acts.filter((act) => 'key' in act && 'owner' in act);
  return new Map(
    issued.map(({ key, owner }) => {
      const own = revoked.filter((act) => act.key === key);
      const [begins, ends] = [own.map(({ begin }) => begin), own.map(({ end }) => end)];
      return [key, { owner, mayEnd: Math.min(...begins), hasEnded: Math.min(...ends) }];
    }),
  );
}
