import type { RunRecord } from './record.ts';

/** What must hold, and by which name a violation of it is reported. */
export const rules = {
  'one-row': 'each 200 has exactly one row of history',
  'no-row': 'a refusal has no row of history; a 503 and a broken connection have at most one',
  'row-of-nobody': 'each row of history belongs to a call or to an act that wrote mirrors',
  'row-as-asked': 'the row, the answer and the call tell the same',
  chain: 'the address before is the address after of the row before',
  stored: 'the stored address and time are those of the last row',
  rising: 'the time of a mirror strictly rises',
  order: 'a call that began after another had ended comes after it',
  owner: 'no update by a caller who was not the owner while it may have been written',
  default: 'no update of a campaign that was the default one all that while',
  mirror: 'no update where there was no mirror all that while',
  moment: 'for each update there was a moment in which all of that held',
  key: 'no update by a key that had ended before the call began',
  condition:
    'a call with a condition replaces the change that it requires, or is told of another one as it was',
  clicks: 'no click is lost, and none is counted twice',
  refusal: 'no call is refused for what cannot have been so',
  status: 'each answer is one of the contract, and none is 500',
  time: 'no call takes longer than the stated bound',
} as const;

export type Rule = keyof typeof rules;

export interface Violation {
  readonly rule: Rule;
  /** The call, the act or the mirror at which it was seen. */
  readonly at: string;
  readonly what: string;
}

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
