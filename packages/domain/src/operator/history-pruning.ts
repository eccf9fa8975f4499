import type { HistoryId } from '../values/identifiers.ts';
import type { Timestamp } from '../values/timestamp.ts';

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
