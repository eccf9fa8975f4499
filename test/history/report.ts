import type { RunRecord } from './record.ts';
import { rules, type Violation } from './violations.ts';

export function report(record: RunRecord, violations: readonly Violation[]): void {
  const { calls, acts, rewrites, clicks, history } = record;
  const answers = Map.groupBy(calls, ({ status }) => status ?? 'broken or given up');
  for (const [status, { length }] of answers) console.log(`  ${length} × ${status}`);
  const longest = Math.max(...calls.map(({ begin, end }) => end - begin));
  console.log(`  the longest of ${calls.length} calls took ${longest.toFixed()} ms`);
  console.log(`  ${history.length} rows of history, ${acts.length} acts, ${rewrites.length} moves`);
  console.log(`  ${clicks.length} clicks`);
  console.log(`  ${violations.length} violations`);
  for (const { rule, at, what } of violations.slice(0, 50)) console.log(`    ${rules[rule]}: ${at}: ${what}`);
}
