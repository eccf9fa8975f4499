import type { AuditEntry, OperatorAct } from '@campaign-mirror/domain';

/** What an act adds to the actor's data. */
export type AuditNote = Pick<AuditEntry, 'act'> &
  Partial<Pick<AuditEntry, 'campaignId' | 'ownerId' | 'accessKeyId' | 'details'>>;

/** The statement that records an act, with a placeholder for each of `noteValues`. */
export const noteText = (...places: readonly string[]) => `
  insert into campaign_mirror.operator_audit (act, operator, request_id, campaign_id, owner_id, access_key_id, details)
  values (${places.join(', ')})`;

export function noteValues({ operator, requestId }: OperatorAct, note: AuditNote): unknown[] {
  const { act, campaignId = null, ownerId = null, accessKeyId = null, details = {} } = note;
  return [act, operator, requestId, campaignId, ownerId, accessKeyId, JSON.stringify(details)];
}
