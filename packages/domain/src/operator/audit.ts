import type { AccessKeyId, AuditId, CampaignId, OwnerId } from '../values/identifiers.ts';
import type { Timestamp } from '../values/timestamp.ts';

/** What an operator may have done. A mirror that was set anew is told by the history, too. */
export type AuditedAct =
  | 'campaign-created'
  | 'campaign-transferred'
  | 'default-set'
  | 'default-unset'
  | 'campaign-deleted'
  | 'mirror-created'
  | 'mirror-restored'
  | 'mirrors-moved'
  | 'key-issued'
  | 'key-rotated'
  | 'key-revoked'
  | 'campaigns-imported'
  | 'history-pruned'
  | 'backup-restored';

/** An act, as it is kept: in the same transaction as the act itself, for ever. */
export interface AuditEntry {
  readonly id: AuditId;
  readonly at: Timestamp;
  readonly act: AuditedAct;
  readonly operator: string;
  /** As whom the store knew the operator, who cannot choose that; null where it knows nobody. */
  readonly databaseRole: string | null;
  readonly requestId: string;
  readonly campaignId: CampaignId | null;
  readonly ownerId: OwnerId | null;
  readonly accessKeyId: AccessKeyId | null;
  /** What else there is to know, such as the owner before a transfer; never a key. */
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
}

/** What is asked of the audit. */
export interface AuditPage {
  readonly campaign?: CampaignId;
  /** Those before this one. */
  readonly before?: AuditId;
  /** Entries, at most: from 1. */
  readonly limit: number;
}

/** Who did what by the operator's commands. Every call throws `Unavailable` when the store is away. */
export interface Audit {
  /** Newest first. */
  list(page: AuditPage): Promise<AuditEntry[]>;
}
