import type { HistoryEntry } from '../set-campaign-mirror/campaign-repository.ts';
import type * as values from '../values/identifiers.ts';

/** The record of mirror changes. */
export interface MirrorHistory {
  /** The changes of a campaign, which may be deleted, before one, newest first; at most `limit` (1 or more). */
  list(page: {
    readonly campaign: values.CampaignId;
    readonly before?: values.HistoryId | undefined;
    readonly limit: number;
  }): Promise<HistoryEntry[]>;

  /** Undefined if the campaign has no such change. */
  find(campaign: values.CampaignId, id: values.HistoryId): Promise<HistoryEntry | undefined>;

  /** Whether a change before this one was pruned; undefined: whether the last one was. */
  isPrunedBefore(campaign: values.CampaignId, change: values.HistoryId | undefined): Promise<boolean>;

  /**
   * The changes made with a key, newest first, from one snapshot, at or after `since` or all, also of campaigns that were
   * transferred or deleted. Rows are read as fast as the caller takes them.
   */
  ofKey(key: values.AccessKeyId, since?: values.Timestamp): AsyncIterable<HistoryEntry>;
}

/** The least age at which a change can be pruned: a day, in seconds. */
export const leastPrunedAge = 86_400;

/** What a pruning would delete. */
export interface PruningSurvey {
  readonly olderThan: values.Timestamp;
  /** The number of changes before that time. */
  readonly old: number;
  /** The greatest number of them; null if there are none. */
  readonly upTo: values.HistoryId | null;
  /** Whether the newest of all changes is one of them. */
  readonly newestIsOld: boolean;
  /** The store's clock, in seconds since 1970. */
  readonly time: number;
}

/** The only way to delete history. */
export interface HistoryPruning {
  /** Counts the changes that are older than `age`, in seconds, by the store's clock. */
  survey(age: number): Promise<PruningSurvey>;

  /**
   * Deletes the first `size` changes before `olderThan`, none above `upTo`, with an audit entry, and returns how many there
   * were. Blocks no request that sets a mirror. @throws an error when `olderThan` is less than `leastPrunedAge` ago
   */
  prune(olderThan: values.Timestamp, upTo: values.HistoryId, size: number): Promise<number>;
}
