import type { CampaignId, HistoryId } from '../values/identifiers.ts';
import type { Timestamp } from '../values/timestamp.ts';

/** Changes younger than this are never pruned: a day, in seconds. */
export const leastPrunedAge = 86_400;

/** A position in the history, which is ordered by campaign, then by change. */
export interface HistoryPosition {
  readonly campaign: CampaignId;
  readonly id: HistoryId;
}

/** What can be pruned. */
export interface HistorySurvey {
  /** The limit of age as a time, by the store's clock. */
  readonly olderThan: Timestamp;
  readonly changes: number;
  /** The number of changes before that time. */
  readonly old: number;
}

/** What one step did, in rows of the history. */
export interface PruneStep {
  readonly lookedAt: number;
  readonly pruned: number;
  /** Where the next step starts; undefined at the end of the history. */
  readonly next: HistoryPosition | undefined;
}

/** The only way to delete history. Every call throws `Unavailable` when the store is unavailable. */
export interface HistoryPruning {
  /** Examines the whole history. `age` is in seconds. */
  survey(age: number): Promise<HistorySurvey>;

  /**
   * Examines the next `size` changes after `after` (without it, from the beginning) and deletes those before
   * `olderThan`. A deletion and its audit entry are committed together. A step does not block requests that set a
   * mirror.
   * @throws an error when `olderThan` is less than a day ago
   */
  prune(olderThan: Timestamp, size: number, after?: HistoryPosition): Promise<PruneStep>;
}
