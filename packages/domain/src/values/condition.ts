/**
 * Which last change of a mirror an update requires (contract: the condition): one of `oneOf`, or none of `noneOf`; without a
 * condition, any. A mirror that never changed has 0. An empty `oneOf` holds for no mirror.
 */
export type Condition = { readonly oneOf: readonly number[] } | { readonly noneOf: readonly number[] };

/** Whether a mirror with this last change satisfies the condition. */
export function conditionHolds(condition: Condition | undefined, lastChange: number): boolean {
  if (!condition) return true;
  if ('oneOf' in condition) return condition.oneOf.includes(lastChange);
  return !condition.noneOf.includes(lastChange);
}
