import type { AccessKeyId, AuditId, CampaignId, OwnerId, Timestamp } from '../values/identifiers.ts';

/** The acts of operators. `key-changed` and `mirror-deleted` stand for acts that no command makes. */
export const auditedActs = [
  'campaign-created',
  'campaign-transferred',
  'default-set',
  'default-unset',
  'campaign-deleted',
  'mirror-created',
  'mirror-deleted',
  'mirror-restored',
  'mirror-set',
  'mirrors-moved',
  'key-issued',
  'key-rotated',
  'key-revoked',
  'key-changed',
  'campaigns-imported',
  'mirrors-imported',
  'history-pruned',
] as const;
/** What an operator did. */
export type AuditedAct = (typeof auditedActs)[number];

/** A recorded act, written in the same transaction as the act itself, and never deleted. */
export interface AuditEntry {
  readonly id: AuditId;
  readonly actedAt: Timestamp;
  readonly act: AuditedAct;
  readonly operator: string;
  /** The role with which the operator was connected to the store; null if the store has no roles. */
  readonly databaseRole: string | null;
  readonly requestId: string;
  readonly campaignId: CampaignId | null;
  readonly ownerId: OwnerId | null;
  readonly accessKeyId: AccessKeyId | null;
  /** Further details, such as the owner before a transfer; never an access key. */
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
}

/** The record of operators' acts. */
export interface Audit {
  /** Those of a campaign or all, before an entry, newest first; at most `limit` (1 or more). */
  list(page: {
    readonly campaign?: CampaignId | undefined;
    readonly before?: AuditId | undefined;
    readonly limit: number;
  }): Promise<AuditEntry[]>;
}

/** One act of the operator: the actor, and the identifier that its audit and history rows share. */
export interface OperatorAct {
  /** A person or a program, as named by the driving adapter: 1 to 200 characters on one line. */
  readonly operator: string;
  /** 1 to 128 visible ASCII characters. */
  readonly requestId: string;
}
