import type { HistoryEntry } from '../operator/mirror-history.ts';
import type { CampaignRepository } from '../set-campaign-mirror/campaign-repository.ts';
import type { Mirror } from '../set-campaign-mirror/mirror.ts';
import type { AccessKeyId, CampaignId, OwnerId } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';
import type { Timestamp } from '../values/timestamp.ts';

/** What the author of a `CampaignRepository` provides for its cases. Its parts are plain objects and functions. */
export interface CampaignRepositoryWorld {
  readonly campaigns: CampaignRepository;
  readonly others: Others;
  /** Left out by a store without access keys: its callers have other subjects, which no write proves. */
  readonly keys?: KeyHolder;
}

/** What is done to the store by others than the repository, and what the store contains. */
export interface Others {
  /** A campaign without a mirror. The owner has no other default campaign. */
  readonly createCampaign: (owner: OwnerId, isDefault: boolean) => Promise<CampaignId>;
  /** A mirror that was never updated externally, without clicks. */
  readonly createMirror: (campaign: CampaignId, address: MirrorAddress) => Promise<unknown>;
  readonly transfer: (campaign: CampaignId, to: OwnerId) => Promise<unknown>;
  readonly setDefault: (campaign: CampaignId, isDefault: boolean) => Promise<unknown>;
  readonly deleteMirror: (campaign: CampaignId) => Promise<unknown>;
  /** With its mirror, if it has one. */
  readonly deleteCampaign: (campaign: CampaignId) => Promise<unknown>;
  readonly countClick: (campaign: CampaignId) => Promise<unknown>;
  readonly setUpdatedAt: (campaign: CampaignId, time: Timestamp) => Promise<unknown>;

  /** The mirror as it is stored. */
  readonly mirror: (campaign: CampaignId) => Promise<Mirror | undefined>;
  /** The changes of its mirrors, in the order in which they were made. */
  readonly history: (campaign: CampaignId) => Promise<HistoryEntry[]>;
  /** The store's clock; without it, that of this process. */
  readonly clock?: () => Promise<Timestamp>;
  /**
   * Makes the calls so that several have begun before the first of them can write the campaign's mirror; without it,
   * they begin together.
   */
  readonly atOnce?: <T>(campaign: CampaignId, calls: readonly (() => Promise<T>)[]) => Promise<T[]>;
}

/** Issues access keys, and makes them invalid. */
export interface KeyHolder {
  /** A key that is valid for at least an hour. */
  readonly issue: (owner: OwnerId) => Promise<AccessKeyId>;
  readonly revoke: (key: AccessKeyId) => Promise<unknown>;
  readonly expire: (key: AccessKeyId) => Promise<unknown>;
  readonly delete: (key: AccessKeyId) => Promise<unknown>;
  /** Gives the key's number to another owner's key, as a restored backup can. */
  readonly give: (key: AccessKeyId, to: OwnerId) => Promise<unknown>;
}
