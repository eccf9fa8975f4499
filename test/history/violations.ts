import type { RunRecord } from './record.ts';

/** The rules that a run must keep. */
export const rules = {
  'one-row': 'each 200 has exactly one row of history',
  'no-row': 'a refusal has no row of history; a 503 and a broken connection have at most one',
  'row-of-nobody': 'each row of history belongs to a call, or to an act of an operator',
  'row-as-sent': 'the row, the answer and the call agree',
  chain: 'the address before is the address after of the previous row',
  stored: 'the stored address and time are those of the last row',
  rising: 'the time of a mirror strictly rises',
  order: 'a call that began after another had ended comes after it',
  rights:
    'at some moment of each update, the caller was the owner, the campaign no default, and there was a mirror',
  key: 'no key makes an update after its revocation',
  refusal: 'each refusal has a cause',
  status: 'each answer is one of the contract, and none is 500',
  time: 'no call takes longer than the stated bound',
} as const;

export type Rule = keyof typeof rules;

export interface Violation {
  readonly rule: Rule;
  readonly at: string;
  readonly what: string;
}

export function report({ calls, acts, history }: RunRecord, violations: readonly Violation[]): void {
  const byStatus = Map.groupBy(calls, ({ status }) => status ?? 'no answer');
  const answers = [...byStatus].map(([status, { length }]) => `${length} × ${status}`);
  const longest = Math.max(...calls.map(({ begin, end }) => end - begin));
  console.log(`  ${answers.join(', ')}; the longest call took ${longest.toFixed()} ms`);
  console.log(`  ${history.length} rows of history, ${acts.length} acts`);
  console.log(`  ${violations.length} violations`);
  for (const { rule, at, what } of violations.slice(0, 50)) console.log(`    ${rules[rule]}: ${at}: ${what}`);
}
