import type { HistoryEntry } from '../set-campaign-mirror/campaign-repository.ts';
import type * as values from '../values/identifiers.ts';
import { type Identifier, identifierReader } from '../values/reader.ts';

/** Rows to list, newest first: of a campaign, before one, at or after a time, at most `limit` (1 or more). */
interface Newest<Id> {
  readonly campaign?: values.CampaignId | undefined;
  readonly before?: Id | undefined;
  readonly since?: values.Timestamp | undefined;
  readonly limit: number;
}

/** The record of mirror changes. */
export interface MirrorHistory {
  /** The changes of a campaign, which may be deleted. */
  list(page: Newest<values.HistoryId> & { readonly campaign: values.CampaignId }): Promise<HistoryEntry[]>;
  find(campaign: values.CampaignId, id: values.HistoryId): Promise<HistoryEntry | undefined>;
  /** Whether a change before this one was pruned; undefined: whether the last one was. */
  isPrunedBefore(campaign: values.CampaignId, change: values.HistoryId | undefined): Promise<boolean>;
  /**
   * The changes made with a key or by a move, newest first, from one snapshot, at or after `since` or all, also
   * of campaigns that were transferred or deleted. Rows are read as fast as the caller takes them.
   */
  ofKey(key: values.AccessKeyId, since?: values.Timestamp, limit?: number): AsyncIterable<HistoryEntry>;
  ofMove(move: AuditId, since?: values.Timestamp, limit?: number): AsyncIterable<HistoryEntry>;
}

/** Which changes to follow: those after a position, by default those after the call. */
export interface FollowedChanges {
  readonly from?: string | undefined;
  /** Only changes of campaigns that had this owner at that moment. */
  readonly owner?: values.OwnerId | undefined;
  readonly campaign?: values.CampaignId | undefined;
}

/** The changes of addresses as they are committed. */
export interface ChangeFeed {
  /**
   * First the position alone, by default the present one; then every change that is committed after it, each with a position
   * from which it goes on after this change: some that came before can come again. Ends only if the position is of another
   * server, or of this one before its last start. @throws Unavailable
   */
  follow(
    changes: FollowedChanges,
  ): AsyncIterable<(HistoryEntry & { readonly position: string }) | { readonly position: string }>;
}

/** The least age at which a change can be pruned: a day, in seconds. */
export const leastPrunedAge = 86_400;

/** What a pruning would delete: so many old changes, up to one; null if there are none. */
export interface PruningSurvey {
  readonly olderThan: values.Timestamp;
  readonly old: number;
  readonly upTo: values.HistoryId | null;
  /** Whether the newest of all changes is old. */
  readonly newestIsOld: boolean;
  /** The store's clock, in seconds since 1970. */
  readonly time: number;
}

/** The only way to delete history. */
export interface HistoryPruning {
  /** Counts the changes that are older than `age`, in seconds, by the store's clock. */
  survey(age: number): Promise<PruningSurvey>;
  /**
   * Deletes the first `size` changes before `olderThan`, none above `upTo`, with an audit entry. Returns how many there
   * were. Blocks no request that sets a mirror. @throws an error when `olderThan` is less than `leastPrunedAge` ago
   */
  prune(olderThan: values.Timestamp, upTo: values.HistoryId, size: number): Promise<number>;
}

/** Of an entry of the audit. */
export type AuditId = Identifier<'AuditId'>;
/** Reads the number of an entry of the audit, as `campaignId` does. */
export const auditId = identifierReader<AuditId>('an entry of the audit');

/** The acts of operators. */
export const acts = [
  ...'campaign-created campaigns-imported campaign-transferred campaign-deleted schema-migrated'.split(' '),
  ...'default-set default-unset mirror-created mirrors-imported mirror-set mirror-restored'.split(' '),
  ...'mirrors-moved mirror-deleted key-issued key-rotated key-revoked key-changed history-pruned'.split(' '),
];

/** A recorded act, written in the same transaction as the act itself, and never deleted. */
export interface AuditEntry {
  readonly id: AuditId;
  readonly actedAt: values.Timestamp;
  readonly act: string;
  readonly operator: string;
  /** The role with which the operator was connected to the store; null if the store has no roles. */
  readonly databaseRole: string | null;
  readonly requestId: string;
  readonly campaignId: values.CampaignId | null;
  readonly ownerId: values.OwnerId | null;
  readonly accessKeyId: values.AccessKeyId | null;
  /** Further details, such as the owner before a transfer; never an access key. */
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
}

/** The record of operators' acts, of all or of one of `acts`. */
export interface Audit {
  list(page: Newest<AuditId> & { readonly act?: string | undefined }): Promise<AuditEntry[]>;
}

/** Who acts, in 1 to 200 characters on one line, and the id of all rows of the act, as `isRequestId` takes it. */
export type OperatorAct = Pick<AuditEntry, 'operator' | 'requestId'>;
