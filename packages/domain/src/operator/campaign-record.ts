import type { Mirror } from '../set-campaign-mirror/mirror.ts';
import type { CampaignId, OwnerId } from '../values/identifiers.ts';
import type { Timestamp } from '../values/timestamp.ts';

/** A campaign with its mirror, as its settings show it. */
export interface CampaignRecord {
  readonly id: CampaignId;
  readonly ownerId: OwnerId;
  readonly isDefault: boolean;
  readonly name: string | null;
  readonly createdAt: Timestamp;
  /** Null until it is created in the settings. */
  readonly mirror: Mirror | null;
}

/** Which campaigns are asked for, by their numbers. */
export interface CampaignPage {
  readonly owner?: OwnerId;
  /** Those after this one. */
  readonly after?: CampaignId;
  /** At most so many: from 1. */
  readonly limit: number;
}

/** Where campaigns and their mirrors are looked at. Every call throws `Unavailable` when the store is away. */
export interface CampaignRecords {
  find(id: CampaignId): Promise<CampaignRecord | undefined>;

  /** In the order of their numbers. */
  list(page: CampaignPage): Promise<CampaignRecord[]>;

  /** The mirrors of those of these campaigns that have one, in the order of the campaigns' numbers. */
  listMirrors(page: CampaignPage): Promise<Mirror[]>;
}
