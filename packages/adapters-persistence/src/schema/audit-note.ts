import type { AuditEntry } from '@campaign-mirror/domain';

/** What an act adds to the actor's data. */
export type AuditNote = Pick<AuditEntry, 'act'> &
  Partial<Pick<AuditEntry, 'campaignId' | 'ownerId' | 'accessKeyId' | 'details'>>;
