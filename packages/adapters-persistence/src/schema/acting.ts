import { isRequestId, label, type OperatorAct } from '@campaign-mirror/domain';

/** Who acts, and in which request. @throws TypeError where either is what no store holds */
export function namesOf({ operator, requestId }: OperatorAct): [operator: string, requestId: string] {
  if (label(operator) !== operator || !isRequestId(requestId))
    throw new TypeError('an act of the operator: no name on one line, or no request id');
  return [operator, requestId];
}

/**
 * Says for the rest of the transaction who acts, for the audit's entries, which the database writes; with a placeholder
 * for each of `actingValues`.
 */
export const actingText = (...places: readonly string[]) => `
  select set_config('campaign_mirror.operator', ${places[0]}, true),
    set_config('campaign_mirror.request_id', ${places[1]}, true),
    set_config('campaign_mirror.details', ${places[2]}, true)`;

/** `details`: what the rows do not tell. */
export function actingValues(
  act: OperatorAct,
  details: Readonly<Record<string, string | number>> = {},
): string[] {
  return [...namesOf(act), JSON.stringify(details)];
}
