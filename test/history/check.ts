import { checkAnswers } from './check-answers.ts';
import { checkChains } from './check-chains.ts';
import { checkClicks } from './check-clicks.ts';
import { checkRights } from './check-rights.ts';
import type { RunRecord } from './record.ts';
import type { Violation } from './violations.ts';

/** Everything in the record that breaks a rule; nothing, when all is well. */
export function violationsOf(record: RunRecord): Violation[] {
  return [checkAnswers, checkChains, checkRights, checkClicks].flatMap((check) => [...check(record)]);
}
