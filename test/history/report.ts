import type { FaultRun } from './faults/under-fault.ts';
import { rules } from './violations.ts';

/** Of each rule, violations that are shown. */
const shown = 5;

/** What a run came to, in a few lines. */
export function report(name: string, seed: number, { record, violations, recoveries }: FaultRun): string {
  const { calls, acts, rewrites, clicks, history } = record;
  const answers = Map.groupBy(calls, ({ status }) => status ?? 'broken');
  const counts = [...answers]
    .map(([status, { length }]) => `${length} × ${status}`)
    .sort()
    .reverse();
  const longest = Math.max(...calls.map(({ begin, end }) => end - begin));
  const lines = [
    `${name} (SEED=${seed}): ${calls.length} calls: ${counts.join(', ')}`,
    `  ${history.length} rows of history, ${acts.length} acts, ${rewrites.length} moves and restores, ${clicks.length} clicks`,
    `  longest call ${seconds(longest)}; the first 200 came ${recoveries.map(seconds).join(', ')} after the end of the fault`,
  ];
  for (const [rule, found] of Map.groupBy(violations, (violation) => violation.rule)) {
    lines.push(`  VIOLATED ${found.length} times: ${rules[rule]}`);
    for (const { at, what } of found.slice(0, shown)) lines.push(`    ${at}: ${what}`);
  }
  return lines.join('\n');
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;
