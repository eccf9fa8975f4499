/** The result of a check, and what to do about it. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly finding: string;
  readonly advice: string | null;
  /** The database is unavailable. */
  readonly away?: boolean;
}

export const ok = (check: string, finding: string): Finding => ({
  check,
  state: 'ok',
  finding,
  advice: null,
});

const stated =
  (state: 'warning' | 'problem') =>
  (check: string, finding: string, advice: string): Finding => ({ check, state, finding, advice });
export const warning = stated('warning');
export const problem = stated('problem');

/** The first few names of many, for one line. */
export function some(names: readonly string[], shown = 4): string {
  const more = names.length > shown ? ` and ${names.length - shown} more` : '';
  return `${names.slice(0, shown).join(', ')}${more}`;
}
