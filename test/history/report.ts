import type { RecordedCall, RunRecord } from './record.ts';
import { rules, type Violation } from './violations.ts';

/** How many calls there were, by answer. */
export function countsOf(calls: readonly RecordedCall[]): string {
  const answers = Map.groupBy(calls, ({ status }) => `${status ?? 'broken or given up'}`);
  const counts = [...answers].map(([status, { length }]) => `${length} × ${status}`);
  return `${calls.length} calls: ${counts.sort().reverse().join(', ')}`;
}

export function report(record: RunRecord, violations: readonly Violation[]): void {
  const { calls, acts, rewrites, clicks, history } = record;
  const longest = Math.max(...calls.map(({ begin, end }) => end - begin));
  console.log(`  ${countsOf(calls)}, the longest ${longest.toFixed()} ms`);
  console.log(`  ${history.length} rows of history, ${acts.length} acts, ${clicks.length} clicks`);
  console.log(`  ${rewrites.length} moves`);
  console.log(`  ${violations.length} violations`);
  for (const { rule, at, what } of violations.slice(0, 50)) console.log(`    ${rules[rule]}: ${at}: ${what}`);
}
