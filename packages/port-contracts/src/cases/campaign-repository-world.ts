import type * as domain from '@campaign-mirror/domain';
import type { Steps } from '../kit/meanwhile.ts';

type CampaignId = domain.CampaignId;

/** What the author of a `CampaignRepository` provides for its cases. Its parts are plain objects and functions. */
export interface CampaignRepositoryWorld {
  readonly campaigns: domain.CampaignRepository;
  readonly others: Others;
  /** Left out by a store without access keys: its callers have other subjects, which no write proves. */
  readonly keys?: KeyHolder;
  /** Left out where the adapter cannot be paused. */
  readonly steps?: Steps;
}

/**
 * What others than the repository do to the store, and what it contains. Each act is a transaction of its own, and is
 * committed when it resolves.
 */
export interface Others {
  /** A campaign without a mirror, which is not the default one. */
  readonly createCampaign: (owner: domain.OwnerId) => Promise<CampaignId>;
  /** A mirror that was never updated externally, without clicks. */
  readonly createMirror: (campaign: CampaignId, address: domain.MirrorAddress) => Promise<unknown>;
  readonly transfer: (campaign: CampaignId, to: domain.OwnerId) => Promise<unknown>;
  readonly setDefault: (campaign: CampaignId, isDefault: boolean) => Promise<unknown>;
  readonly deleteMirror: (campaign: CampaignId) => Promise<unknown>;
  /** With its mirror, if it has one. */
  readonly deleteCampaign: (campaign: CampaignId) => Promise<unknown>;
  readonly countClick: (campaign: CampaignId) => Promise<unknown>;
  readonly setUpdatedAt: (campaign: CampaignId, time: domain.Timestamp) => Promise<unknown>;

  /** The mirror as it is stored. */
  readonly mirror: (campaign: CampaignId) => Promise<domain.Mirror | undefined>;
  /** The changes of its mirrors, in the order in which they were made. */
  readonly history: (campaign: CampaignId) => Promise<domain.HistoryEntry[]>;
  /** The store's clock; without it, that of this process. */
  readonly clock?: () => Promise<domain.Timestamp>;
}

/** Issues access keys, and makes them invalid. */
export interface KeyHolder {
  /** A key that is valid for at least an hour. */
  readonly issue: (owner: domain.OwnerId) => Promise<domain.AccessKeyId>;
  readonly revoke: (key: domain.AccessKeyId) => Promise<unknown>;
  readonly expire: (key: domain.AccessKeyId) => Promise<unknown>;
  readonly delete: (key: domain.AccessKeyId) => Promise<unknown>;
  /** Gives the key's number to another owner's key, as a restored backup can. */
  readonly give: (key: domain.AccessKeyId, to: domain.OwnerId) => Promise<unknown>;
}
