import type { AccessKeyId, CampaignId, HistoryId, MirrorId, OwnerId } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';
import type { Subject } from '../values/subject.ts';
import type { Timestamp } from '../values/timestamp.ts';

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
