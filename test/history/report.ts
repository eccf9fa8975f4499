import type { RecordedCall, RunRecord, Violation } from './record.ts';

/** How many calls there were, by answer. */
export function countsOf(calls: readonly RecordedCall[]): string {
  const answers = Map.groupBy(calls, ({ status }) => `${status ?? 'broken or given up'}`);
  const counts = [...answers].map(([status, { length }]) => `${length} × ${status}`);
  return `${calls.length} calls: ${counts.sort().reverse().join(', ')}`;
}

export function report({ calls, acts, clicks, history }: RunRecord, violations: readonly Violation[]): void {
  const longest = Math.max(...calls.map(({ begin, end }) => end - begin));
  console.log(`  ${countsOf(calls)}, the longest ${longest.toFixed()} ms`);
  console.log(`  ${history.length} rows of history, ${acts.length} acts, ${clicks.length} clicks`);
  if (violations.length > 0) console.table(violations.slice(0, 50));
}
