import type { FaultRun } from './faults/under-fault.ts';
import type { RecordedCall } from './record.ts';
import { rules, type Violation } from './violations.ts';

/** Of each rule, violations that are shown. */
const shown = 5;

/** What a run came to, in a few lines. */
export function report(
  name: string,
  seed: number,
  { record, violations, recoveries, memory }: FaultRun,
): string {
  const { calls, acts, rewrites, clicks, history } = record;
  const longest = Math.max(...calls.map(({ begin, end }) => end - begin));
  return [
    `${name} (SEED=${seed}): ${countsOf(calls)}`,
    `  ${history.length} rows of history, ${acts.length} acts, ${rewrites.length} moves and restores, ${clicks.length} clicks`,
    `  longest call ${seconds(longest)}; the first 200 came ${recoveries.map(seconds).join(', ')} after the end of the fault`,
    ...(memory
      ? [
          `  it holds ${memory.held.toFixed(2)} times what it held before, and its RSS is ${memory.rss.toFixed(2)} times that`,
        ]
      : []),
    ...linesOf(violations),
  ].join('\n');
}

/** How many calls there were, by answer. */
export function countsOf(calls: readonly RecordedCall[]): string {
  const answers = Map.groupBy(calls, ({ status, isAbandoned }) =>
    isAbandoned ? 'abandoned' : `${status ?? 'broken'}`,
  );
  const counts = [...answers].map(([status, { length }]) => `${length} × ${status}`);
  return `${calls.length} calls: ${counts.sort().reverse().join(', ')}`;
}

export function linesOf(violations: readonly Violation[]): string[] {
  return [...Map.groupBy(violations, ({ rule }) => rule)].flatMap(([rule, found]) => [
    `  VIOLATED ${found.length} times: ${rules[rule]}`,
    ...found.slice(0, shown).map(({ at, what }) => `    ${at}: ${what}`),
  ]);
}

export const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;
