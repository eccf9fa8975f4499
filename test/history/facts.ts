import type { RecordedAct, Span } from './record.ts';

/** A value that a fact may have had from a moment to another. */
export interface Possible<Value> {
  readonly value: Value;
  readonly from: number;
  readonly to: number;
}

/** What may have been so of a campaign, and when. */
export interface CampaignFacts {
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

export function factsOf(acts: readonly RecordedAct[]): Map<number, CampaignFacts> {
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
export function during<Value>(possible: readonly Possible<Value>[], { begin, end }: Span): Possible<Value>[] {
  return possible.filter(({ from, to }) => from <= end && to > begin);
}

/** When a key may have ended at the earliest, and when it had surely ended. */
export interface KeyFacts {
  readonly owner: number;
  readonly mayEnd: number;
  readonly hasEnded: number;
}

export function keysOf(acts: readonly RecordedAct[]): Map<number, KeyFacts> {
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
