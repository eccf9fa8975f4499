import type { HistoryEntry } from '../set-campaign-mirror/ports.ts';
import type { AccessKeyId, CampaignId, HistoryId, OwnerId, Timestamp } from '../values/identifiers.ts';
import { type Identifier, identifierReader } from '../values/reader.ts';

/** Which rows to list, newest first: at or after `since`, at most `limit` (1 or more). */
interface NewestQuery<Id> {
  readonly campaign?: CampaignId | undefined;
  readonly before?: Id | undefined;
  readonly since?: Timestamp | undefined;
  readonly limit: number;
}

/** The history of mirror changes. */
export interface MirrorHistory {
  /** The changes of a campaign, which may be deleted. */
  list(query: NewestQuery<HistoryId> & { readonly campaign: CampaignId }): Promise<HistoryEntry[]>;
  find(campaign: CampaignId, id: HistoryId): Promise<HistoryEntry | undefined>;
  /** Whether changes before this one were pruned; undefined: whether the last one was. */
  isPrunedBefore(campaign: CampaignId, change: HistoryId | undefined): Promise<boolean>;
  /** The changes made with a key, newest first, from one snapshot, also of deleted campaigns. */
  ofKey(key: AccessKeyId, since?: Timestamp, limit?: number): AsyncIterable<HistoryEntry>;
  ofMove(move: AuditId, since?: Timestamp, limit?: number): AsyncIterable<HistoryEntry>;
}

/** Which changes to follow: those after `from`, by default after the call; `owner`: at the moment of the change. */
export interface FollowedChanges {
  readonly from?: string | undefined;
  readonly owner?: OwnerId | undefined;
  readonly campaign?: CampaignId | undefined;
}

/** The changes of addresses as they are committed. */
export interface ChangeFeed {
  /**
   * Yields the start position, then every change committed after it, each with the position to resume from; after a
   * resume, changes can repeat. Ends only if the position is from another server, or from before the server's last
   * start. @throws Unavailable
   */
  follow(
    changes: FollowedChanges,
  ): AsyncIterable<(HistoryEntry & { readonly position: string }) | { readonly position: string }>;
}

/** The minimum age of changes to prune: a day, in seconds. */
export const minPruneAge = 86_400;

/** The changes that a pruning would delete: their number, and the last one; null if there are none. */
export interface PruningSurvey {
  readonly olderThan: Timestamp;
  readonly old: number;
  readonly upTo: HistoryId | null;
  /** Whether the newest change of all would be deleted. */
  readonly newestIsOld: boolean;
  /** The store's clock, in seconds since 1970. */
  readonly time: number;
}

/** The only way to delete history. */
export interface HistoryPruning {
  /** Counts the changes older than `age`, in seconds, by the store's clock. */
  survey(age: number): Promise<PruningSurvey>;
  /**
   * Deletes the first `size` changes before `olderThan`, none above `upTo`. Returns their number. Blocks no request.
   * @throws an error if `olderThan` is less than `minPruneAge` ago
   */
  prune(olderThan: Timestamp, upTo: HistoryId, size: number): Promise<number>;
}

/** The number of an audit entry. */
export type AuditId = Identifier<'AuditId'>;
/** Reads the number of an audit entry, as `campaignId` does. */
export const auditId = identifierReader<AuditId>('an entry of the audit');

/** The kinds of acts in the audit. */
export const auditActs = [
  ...'campaign-created campaigns-imported campaign-transferred campaign-deleted schema-migrated'.split(' '),
  ...'default-set default-unset mirror-created mirrors-imported mirror-set mirror-restored'.split(' '),
  ...'mirrors-moved mirror-deleted key-issued key-rotated key-revoked key-changed history-pruned'.split(' '),
];

/** A recorded act, committed with the act, and never deleted. */
export interface AuditEntry {
  readonly id: AuditId;
  readonly actedAt: Timestamp;
  readonly act: string;
  readonly operator: string;
  /** The database role of the operator's connection; null if the store has no roles. */
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
  list(query: NewestQuery<AuditId> & { readonly act?: string | undefined }): Promise<AuditEntry[]>;
}

/** Who acts (1 to 200 characters on one line), and the request id of all rows of the act (as `isRequestId`). */
export type OperatorAct = Pick<AuditEntry, 'operator' | 'requestId'>;
