import type { AccessKeyId, CampaignId, HistoryId, MirrorId, OwnerId } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';
import type { Timestamp } from '../values/timestamp.ts';

/** A change of a mirror, as it is kept (contract: history): it outlives the campaign, the mirror and the key. */
export interface HistoryEntry {
  readonly id: HistoryId;
  readonly mirrorId: MirrorId;
  readonly campaignId: CampaignId;
  readonly actor: 'key' | 'operator';
  /** Null for the operator. */
  readonly accessKeyId: AccessKeyId | null;
  /** Whose the campaign was. */
  readonly ownerId: OwnerId;
  /** The address that was really replaced. */
  readonly addressBefore: MirrorAddress;
  readonly addressAfter: MirrorAddress;
  /** Equal to the mirror's `updatedAt`. */
  readonly changedAt: Timestamp;
  readonly requestId: string;
}

/** What is asked of the history. */
export interface HistoryPage {
  readonly campaign: CampaignId;
  /** Those before this one. */
  readonly before?: HistoryId;
  /** Entries, at most: from 1. */
  readonly limit: number;
}

/** Which changes of a key are asked for. */
export interface KeyChanges {
  readonly key: AccessKeyId;
  /** Those of this moment and later; else all. */
  readonly since?: Timestamp;
}

/** Who set which mirror, from where to where. Every call throws `Unavailable` when the store is away. */
export interface MirrorHistory {
  /** Newest first; also of a campaign that was deleted. */
  list(page: HistoryPage): Promise<HistoryEntry[]>;

  /** Undefined where this campaign has no such change. */
  find(campaign: CampaignId, id: HistoryId): Promise<HistoryEntry | undefined>;

  /**
   * What was done with a key, oldest first, as it is at one moment: also to campaigns that were transferred or deleted
   * since. The whole history is read for it; what is found is read as fast as it is taken.
   */
  ofKey(asked: KeyChanges): AsyncIterable<HistoryEntry>;
}
