import type { OperatorAct } from '@campaign-mirror/domain';

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
  { operator, requestId }: OperatorAct,
  details: Readonly<Record<string, string | number>> = {},
): string[] {
  return [operator, requestId, JSON.stringify(details)];
}
