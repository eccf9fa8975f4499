import type { RecordedCall, RunRecord } from './record.ts';
import { rules, type Violation } from './violations.ts';

/** Of each rule, violations that are shown. */
const shown = 5;

/** How many calls there were, by answer. */
export function countsOf(calls: readonly RecordedCall[]): string {
  const answers = Map.groupBy(calls, ({ status }) => `${status ?? 'broken or given up'}`);
  const counts = [...answers].map(([status, { length }]) => `${length} × ${status}`);
  return `${calls.length} calls: ${counts.sort().reverse().join(', ')}`;
}

export function linesOf(violations: readonly Violation[]): string[] {
  return [...Map.groupBy(violations, ({ rule }) => rule)].flatMap(([rule, found]) => [
    `  VIOLATED ${found.length} times: ${rules[rule]}`,
    ...found.slice(0, shown).map(({ at, what }) => `    ${at}: ${what}`),
  ]);
}

export function report({ calls, acts, clicks, history }: RunRecord, violations: readonly Violation[]): void {
  const longest = Math.max(...calls.map(({ begin, end }) => end - begin));
  console.log(`  ${countsOf(calls)}, the longest ${longest.toFixed()} ms`);
  console.log(`  ${history.length} rows of history, ${acts.length} acts, ${clicks.length} clicks`);
  for (const line of linesOf(violations)) console.log(line);
}

export const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;
