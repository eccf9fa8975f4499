import type * as domain from '@campaign-mirror/domain';
import type { Steps } from '../kit/meanwhile.ts';

type CampaignId = domain.CampaignId;

/** What the author of a `CampaignRepository` provides for its cases: plain objects and functions. */
export interface CampaignRepositoryWorld {
  readonly campaigns: domain.CampaignRepository;
  readonly others: Others;
  /** Absent if the store has no access keys: its callers then have other subjects, which no write proves. */
  readonly keys?: KeyHolder;
  /** Absent if the adapter cannot be paused. */
  readonly steps?: Steps;
}

/**
 * What others than the repository do to the store, and the content of the store. Each act is a transaction of its own,
 * and is committed when it resolves.
 */
export interface Others {
  /** Creates a campaign that has no mirror and is not the default one. */
  readonly createCampaign: (owner: domain.OwnerId) => Promise<CampaignId>;
  /** Creates a mirror that was never updated externally, and has no clicks. */
  readonly createMirror: (campaign: CampaignId, address: domain.MirrorAddress) => Promise<unknown>;
  readonly transfer: (campaign: CampaignId, to: domain.OwnerId) => Promise<unknown>;
  readonly setDefault: (campaign: CampaignId, isDefault: boolean) => Promise<unknown>;
  readonly deleteMirror: (campaign: CampaignId) => Promise<unknown>;
  /** Deletes the campaign and its mirror, if it has one. */
  readonly deleteCampaign: (campaign: CampaignId) => Promise<unknown>;
  readonly countClick: (campaign: CampaignId) => Promise<unknown>;
  readonly setUpdatedAt: (campaign: CampaignId, time: domain.Timestamp) => Promise<unknown>;

  /** The mirror as it is stored. */
  readonly mirror: (campaign: CampaignId) => Promise<domain.Mirror | undefined>;
  /** The changes of the campaign's mirrors, in the order in which they were made. */
  readonly history: (campaign: CampaignId) => Promise<domain.HistoryEntry[]>;
  /** The time by the store's clock; without it, the clock of this process counts. */
  readonly clock?: () => Promise<domain.Timestamp>;
}

/** Issues access keys, and makes them invalid. */
export interface KeyHolder {
  /** Issues a key that is valid for at least an hour. With `never`, it does not expire, if there are such keys. */
  readonly issue: (owner: domain.OwnerId, expires?: 'never' | undefined) => Promise<domain.AccessKeyId>;
  readonly revoke: (key: domain.AccessKeyId) => Promise<unknown>;
  readonly expire: (key: domain.AccessKeyId) => Promise<unknown>;
  readonly delete: (key: domain.AccessKeyId) => Promise<unknown>;
  /** Gives the key's number to another owner's key, as a restored backup can. */
  readonly give: (key: domain.AccessKeyId, to: domain.OwnerId) => Promise<unknown>;
}
