import { countsOf, linesOf, seconds } from '../history/report.ts';
import type { ClusterRun } from './under-faults.ts';

/** What a run came to, in a few lines. */
export function report(seed: number, { record, violations, felt }: ClusterRun): string {
  const { calls, acts, rewrites, clicks, history } = record;
  const longest = Math.max(...calls.map(({ begin, end }) => end - begin));
  return [
    `SEED=${seed}: ${countsOf(calls)}, the longest ${seconds(longest)}`,
    `  ${history.length} rows of history, ${acts.length} acts, ${rewrites.length} moves and restores, ${clicks.length} clicks`,
    ...felt.map(
      (one) => `  ${one.name}: ${seconds(one.outage)} without a 200; meanwhile ${countsOf(one.calls)}`,
    ),
    ...linesOf(violations),
  ].join('\n');
}
