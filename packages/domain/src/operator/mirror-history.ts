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

/** Which changes of a campaign to list. */
export interface HistoryPage {
  readonly campaign: CampaignId;
  /** Only changes before this one. */
  readonly before?: HistoryId | undefined;
  /** The maximum number of changes; at least 1. */
  readonly limit: number;
}

/** Which changes to list: those made with an access key. */
export interface KeyChanges {
  readonly key: AccessKeyId;
  /** Only changes at or after this time. */
  readonly since?: Timestamp | undefined;
}

/** The record of mirror changes. Every call throws `Unavailable` when the store is unavailable. */
export interface MirrorHistory {
  /** Newest first; includes deleted campaigns. */
  list(page: HistoryPage): Promise<HistoryEntry[]>;

  /** Undefined if the campaign has no such change. */
  find(campaign: CampaignId, id: HistoryId): Promise<HistoryEntry | undefined>;

  /**
   * The changes made with a key, newest first, from one snapshot, including those of campaigns that were transferred
   * or deleted since. Reads every change since the given time, or the whole history. Rows are read as fast as the
   * caller takes them.
   */
  ofKey(selection: KeyChanges): AsyncIterable<HistoryEntry>;
}

/** The least age at which a change can be pruned: a day, in seconds. */
export const leastPrunedAge = 86_400;

/** The changes that can be pruned. */
export interface HistorySurvey {
  /** The time before which changes are old, by the store's clock. */
  readonly olderThan: Timestamp;
  /** The number of changes before that time. */
  readonly old: number;
}

/** The result of one step. */
export interface PruneStep {
  /** The number of changes deleted. */
  readonly pruned: number;
  /** The change after which the next step starts; undefined if no change in this step was old. */
  readonly next: HistoryId | undefined;
}

/** The only way to delete history. Every call throws `Unavailable` when the store is unavailable. */
export interface HistoryPruning {
  /** Counts the changes that are older than `age`, in seconds. */
  survey(age: number): Promise<HistorySurvey>;

  /**
   * Examines the next `size` changes after `after` (without it, from the first), and deletes those before `olderThan`.
   * A deletion and its audit entry are committed together. A step does not block requests that set a mirror.
   * @throws an error when `olderThan` is less than `leastPrunedAge` ago
   */
  prune(olderThan: Timestamp, size: number, after?: HistoryId): Promise<PruneStep>;
}
