import type { Mirror } from '../set-campaign-mirror/mirror.ts';
import type { HostName } from '../values/host.ts';
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

/** Which mirrors to examine, in the order of their campaigns. */
export interface MirrorStretch extends CampaignPage {
  /**
   * Leave out mirrors whose addresses are certainly on none of these hosts, nor on names below them. What is returned
   * can be elsewhere all the same: `isOnHost` decides.
   */
  readonly near?: readonly HostName[];
}

/** What one reading of mirrors found. */
export interface Stretch<Found> {
  readonly found: readonly Found[];
  /** The number of mirrors examined. */
  readonly looked: number;
  /** The campaign of the last mirror examined, where there can be more; otherwise undefined. */
  readonly last: CampaignId | undefined;
}

/** Reads campaigns and their mirrors. Every call throws `Unavailable` when the store is unavailable. */
export interface CampaignRecords {
  /** Undefined if there is no such campaign. */
  find(id: CampaignId): Promise<CampaignRecord | undefined>;

  /** By ascending number. */
  list(page: CampaignPage): Promise<CampaignRecord[]>;

  /** The next mirrors, by ascending campaign number. `limit` is the number of mirrors to examine, at most. */
  listMirrors(stretch: MirrorStretch): Promise<Stretch<Mirror>>;
}
