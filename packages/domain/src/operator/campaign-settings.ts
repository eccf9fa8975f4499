import type { Mirror } from '../set-campaign-mirror/campaign-repository.ts';
import type { CampaignId, Label, OwnerId, Timestamp } from '../values/identifiers.ts';
import type { HostName, MirrorAddress } from '../values/mirror-address.ts';

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

/** The campaign to create. */
export interface NewCampaign {
  readonly owner: OwnerId;
  readonly isDefault: boolean;
  readonly name?: Label;
}

/** An owner has at most one default campaign; this one already is. */
export interface OwnerHasDefault {
  readonly kind: 'owner-has-default';
  readonly ownerId: OwnerId;
  readonly id: CampaignId;
  readonly name: string | null;
}

/** There is no such campaign; nothing was done. */
export type CampaignNotFound = { readonly kind: 'campaign-not-found' };

/** The result of creating a campaign. */
export type CampaignCreation = { readonly kind: 'created'; readonly id: CampaignId } | OwnerHasDefault;

/** The result of creating a mirror. */
export type MirrorCreation =
  | { readonly kind: 'created'; readonly mirror: Mirror }
  | CampaignNotFound
  /** A campaign has one mirror, which is set, not created again. */
  | { readonly kind: 'mirror-exists' };

/** The result of a transfer to another owner. */
export type Transfer =
  | { readonly kind: 'transferred'; readonly from: OwnerId }
  /** The campaign already belonged to that owner; nothing was done. */
  | { readonly kind: 'unchanged' }
  | CampaignNotFound
  /** A default campaign stays one, so its new owner must have none. */
  | OwnerHasDefault;

/** The result of changing the default flag. */
export type DefaultChange =
  /** The flag already had this value; nothing was done. */
  { readonly kind: 'changed' | 'unchanged'; readonly ownerId: OwnerId } | CampaignNotFound | OwnerHasDefault;

/** The result of a deletion. Nothing was deleted unless it is `deleted`. */
export type Deletion =
  /** The campaign in its final state, including the last click. */
  | { readonly kind: 'deleted'; readonly campaign: CampaignRecord }
  | CampaignNotFound
  | { readonly kind: 'changed-meanwhile' };

/**
 * Creates and changes campaigns, and creates their mirrors, for the operator. An act and its audit entry are committed
 * together. Every call throws `Unavailable` when the store is unavailable.
 */
export interface CampaignSettings {
  /** Creates a campaign without a mirror. */
  createCampaign(campaign: NewCampaign): Promise<CampaignCreation>;
  /** Creates the mirror of a campaign that has none. */
  createMirror(campaign: CampaignId, address: MirrorAddress): Promise<MirrorCreation>;
  /** Gives a campaign to another owner; its mirror stays. */
  transfer(campaign: CampaignId, to: OwnerId): Promise<Transfer>;
  /** Makes the campaign its owner's default campaign, or an ordinary one. */
  setDefault(campaign: CampaignId, isDefault: boolean): Promise<DefaultChange>;

  /**
   * Deletes a campaign and its mirror; their history is kept. With `seen`, deletes only if the campaign is still what
   * the user agreed to delete: its owner, default flag, name and mirror address.
   */
  deleteCampaign(campaign: CampaignId, seen?: CampaignRecord): Promise<Deletion>;
}
