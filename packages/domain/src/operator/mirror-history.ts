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
  /** Who changed it. */
  readonly subject: Subject;
  /** The owner of the campaign at that moment. */
  readonly ownerId: OwnerId;
  /** The address that was actually replaced. */
  readonly addressBefore: MirrorAddress;
  readonly addressAfter: MirrorAddress;
  /** Equal to the mirror's `updatedAt`. */
  readonly changedAt: Timestamp;
  readonly requestId: string;
}

/** Which changes of a campaign to list. */
export interface HistoryPage {
  readonly campaign: CampaignId;
  /** Only changes before this one. */
  readonly before?: HistoryId | undefined;
  /** The number of changes, at most; at least 1. */
  readonly limit: number;
}

/** Which changes made with a key to list. */
export interface KeyChanges {
  readonly key: AccessKeyId;
  /** Only changes at or after this time; without it, all. */
  readonly since?: Timestamp | undefined;
}

/** The record of mirror changes. Every call throws `Unavailable` when the store is unavailable. */
export interface MirrorHistory {
  /** Newest first; includes deleted campaigns. */
  list(page: HistoryPage): Promise<HistoryEntry[]>;

  /** Undefined if the campaign has no such change. */
  find(campaign: CampaignId, id: HistoryId): Promise<HistoryEntry | undefined>;

  /**
   * The changes made with a key, newest first, from one snapshot, including those to campaigns that were transferred
   * or deleted since. Reads every change since the given time, or the whole history. Rows are read as fast as the
   * caller takes them.
   */
  ofKey(asked: KeyChanges): AsyncIterable<HistoryEntry>;
}

/** Changes younger than this are never pruned: a day, in seconds. */
export const leastPrunedAge = 86_400;

/** What can be pruned. */
export interface HistorySurvey {
  /** The limit of age as a time, by the store's clock. */
  readonly olderThan: Timestamp;
  /** The number of changes before that time. */
  readonly old: number;
}

/** What one step did. */
export interface PruneStep {
  /** The number of changes deleted. */
  readonly pruned: number;
  /** After which change the next step starts; undefined where nothing in this one was old. */
  readonly next: HistoryId | undefined;
}

/** The only way to delete history. Every call throws `Unavailable` when the store is unavailable. */
export interface HistoryPruning {
  /** Examines the changes that are old, not the others. `age` is in seconds. */
  survey(age: number): Promise<HistorySurvey>;

  /**
   * Examines the next `size` changes after `after` (without it, from the first), and deletes those before `olderThan`.
   * A deletion and its audit entry are committed together. A step does not block requests that set a mirror.
   * @throws an error when `olderThan` is less than a day ago
   */
  prune(olderThan: Timestamp, size: number, after?: HistoryId): Promise<PruneStep>;
}
