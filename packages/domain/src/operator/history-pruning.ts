import type { CampaignId, HistoryId } from '../values/identifiers.ts';
import type { Timestamp } from '../values/timestamp.ts';

/** History younger than this is never pruned, in seconds: a day. */
export const leastPrunedAge = 86_400;

/** A place in the history, which is walked in the order of campaigns, then of their changes. */
export interface HistoryPosition {
  readonly campaign: CampaignId;
  readonly id: HistoryId;
}

/** What there is to prune. */
export interface HistorySurvey {
  /** The moment that is so long ago, by the store's clock. */
  readonly olderThan: Timestamp;
  /** Changes in all. */
  readonly changes: number;
  /** Those from before that moment. */
  readonly old: number;
}

export interface PruneStep {
  readonly lookedAt: number;
  readonly pruned: number;
  /** Where the next step goes on; undefined at the end of the history. */
  readonly next: HistoryPosition | undefined;
}

/** The one way to delete from the history. Every call throws `Unavailable` when the store is away. */
export interface HistoryPruning {
  /** Looks at the whole history. `age` is in seconds. */
  survey(age: number): Promise<HistorySurvey>;

  /**
   * Looks at the next `size` changes behind `after`, from the beginning without it, and deletes those from before
   * `olderThan`. What was deleted is in the audit, or nothing was. A step holds up nobody who sets a mirror.
   * @throws an error when `olderThan` is less than a day ago
   */
  prune(olderThan: Timestamp, size: number, after?: HistoryPosition): Promise<PruneStep>;
}
