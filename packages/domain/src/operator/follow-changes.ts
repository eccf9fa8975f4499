import type { HistoryEntry } from '../set-campaign-mirror/campaign-repository.ts';
import type { CampaignId, HistoryId, OwnerId, Timestamp } from '../values/identifiers.ts';

/** Which changes to follow: first those since a time, by default a minute ago, or with higher numbers than `after`. */
export interface FollowedChanges {
  readonly since?: Timestamp | undefined;
  readonly after?: HistoryId | undefined;
  /** Only changes of campaigns that had this owner at that moment. */
  readonly owner?: OwnerId | undefined;
  readonly campaign?: CampaignId | undefined;
}

/** The changes of addresses as they are committed. */
export interface ChangeFeed {
  /**
   * First those of the past, by their numbers, then every change that is committed later, each once. Several looks a
   * second; none while the caller takes a change. Never ends. The time of a look, by the store's clock, comes before the
   * changes that it found. @throws Unavailable also when another server answers, or the same after a restart
   */
  follow(changes: FollowedChanges): AsyncIterable<HistoryEntry | { readonly lookedAt: Timestamp }>;
}
