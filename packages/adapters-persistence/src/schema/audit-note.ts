import type { AuditEntry } from '@campaign-mirror/domain';

/** What an act adds to what is known of the actor. */
export type AuditNote = Pick<AuditEntry, 'act'> &
  Partial<Pick<AuditEntry, 'campaignId' | 'ownerId' | 'accessKeyId' | 'details'>>;
