import type {
  AccessKeyId,
  CampaignId,
  HistoryId,
  MirrorId,
  OwnerId,
  Subject,
  Timestamp,
} from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';

/** A mirror change as stored (contract: history). It is kept after the campaign, the mirror and the key are deleted. */
export interface HistoryEntry {
  readonly id: HistoryId;
  readonly mirrorId: MirrorId;
  readonly campaignId: CampaignId;
  /** Who changed the mirror. */
  readonly subject: Subject;
  /** The owner of the campaign at that moment. */
  readonly ownerId: OwnerId;
  /** The address that this change replaced. */
  readonly addressBefore: MirrorAddress;
  readonly addressAfter: MirrorAddress;
  /** Equal to the mirror's `updatedAt`. */
  readonly changedAt: Timestamp;
  readonly requestId: string;
}

export interface HistoryPage {
  readonly campaign: CampaignId;
  /** Only changes before this one. */
  readonly before?: HistoryId | undefined;
  /** The maximum number of changes; at least 1. */
  readonly limit: number;
}

/** The record of mirror changes. Every call throws `Unavailable` when the store is unavailable. */
export interface MirrorHistory {
  /** Newest first; includes deleted campaigns. */
  list(page: HistoryPage): Promise<HistoryEntry[]>;

  /** Undefined if the campaign has no such change. */
  find(campaign: CampaignId, id: HistoryId): Promise<HistoryEntry | undefined>;

  /**
   * The changes made with a key, newest first, from one snapshot, including those of campaigns that were transferred
   * or deleted since. Reads every change at or after `since`, or the whole history. Rows are read as fast as the
   * caller takes them.
   */
  ofKey(key: AccessKeyId, since?: Timestamp): AsyncIterable<HistoryEntry>;
}

/** The least age at which a change can be pruned: a day, in seconds. */
export const leastPrunedAge = 86_400;

/** The only way to delete history. Every call throws `Unavailable` when the store is unavailable. */
export interface HistoryPruning {
  /** Counts the changes that are older than `age`, in seconds, and the time before which they are, by the store's clock. */
  survey(age: number): Promise<{ readonly olderThan: Timestamp; readonly old: number }>;

  /**
   * Examines the next `size` changes after `after` (null: from the first), and deletes those before `olderThan`.
   * A deletion and its audit entry are committed together. A step does not block requests that set a mirror. The next one
   * starts after `next`, which is null if no change in this step was old.
   * @throws an error when `olderThan` is less than `leastPrunedAge` ago
   */
  prune(
    olderThan: Timestamp,
    size: number,
    after: HistoryId | null,
  ): Promise<{ readonly pruned: number; readonly next: HistoryId | null }>;
}
