import { type CampaignFacts, during, factsOf, type KeyFacts, keysOf, type Possible } from './facts.ts';
import type { RecordedCall, RunRecord, Span } from './record.ts';
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
