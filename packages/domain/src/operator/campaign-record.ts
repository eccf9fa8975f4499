import type { Mirror } from '../set-campaign-mirror/mirror.ts';
import type { CampaignId, OwnerId } from '../values/identifiers.ts';
import type { Timestamp } from '../values/timestamp.ts';

/** A campaign with its mirror, as the settings show it. */
export interface CampaignRecord {
  readonly id: CampaignId;
  readonly ownerId: OwnerId;
  readonly isDefault: boolean;
  readonly name: string | null;
  readonly createdAt: Timestamp;
  /** Null until the mirror is created in the settings. */
  readonly mirror: Mirror | null;
}

/** Which campaigns to list, by number. */
export interface CampaignPage {
  readonly owner?: OwnerId | undefined;
  /** Start after this campaign. */
  readonly after?: CampaignId | undefined;
  /** The number of campaigns, at most; at least 1. */
  readonly limit: number;
}

/** Reads campaigns and their mirrors. Every call throws `Unavailable` when the store is unavailable. */
export interface CampaignRecords {
  /** Undefined if there is no such campaign. */
  find(id: CampaignId): Promise<CampaignRecord | undefined>;

  /** By ascending number. */
  list(page: CampaignPage): Promise<CampaignRecord[]>;

  /** The mirrors of those of these campaigns that have one, by ascending campaign number. */
  listMirrors(page: CampaignPage): Promise<Mirror[]>;
}
