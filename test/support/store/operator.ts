import { type Label, label, type OperatorAct } from '@campaign-mirror/domain';

export function named(text: string): Label {
  const read = label(text);
  if (read === undefined) throw new TypeError(`not a name: ${text}`);
  return read;
}

/** Whoever acts in the tests. */
export const tester: OperatorAct = { operator: 'tests', requestId: 'operator-tests' };
