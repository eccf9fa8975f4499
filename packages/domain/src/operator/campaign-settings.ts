import type { Mirror } from '../set-campaign-mirror/mirror.ts';
import type { CampaignId, OwnerId } from '../values/identifiers.ts';
import type { Label } from '../values/label.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';
import type { CampaignRecord } from './campaign-record.ts';

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

export interface CampaignNotFound {
  readonly kind: 'campaign-not-found';
}

export type CampaignCreation = { readonly kind: 'created'; readonly id: CampaignId } | OwnerHasDefault;

export type MirrorCreation =
  | { readonly kind: 'created'; readonly mirror: Mirror }
  | CampaignNotFound
  /** A campaign has one mirror, which is set, not created again. */
  | { readonly kind: 'mirror-exists' };

export type Transfer =
  | { readonly kind: 'transferred'; readonly from: OwnerId }
  /** The campaign already belonged to that owner; nothing was done. */
  | { readonly kind: 'unchanged' }
  | CampaignNotFound
  /** A default campaign stays one, so its new owner must have none. */
  | OwnerHasDefault;

export type DefaultChange =
  /** The flag already had this value; nothing was done. */
  { readonly kind: 'changed' | 'unchanged'; readonly ownerId: OwnerId } | CampaignNotFound | OwnerHasDefault;

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
  createCampaign(campaign: NewCampaign): Promise<CampaignCreation>;
  createMirror(campaign: CampaignId, address: MirrorAddress): Promise<MirrorCreation>;
  transfer(campaign: CampaignId, to: OwnerId): Promise<Transfer>;
  /** Makes the campaign its owner's default campaign, or an ordinary one. */
  setDefault(campaign: CampaignId, isDefault: boolean): Promise<DefaultChange>;

  /**
   * Deletes a campaign and its mirror; their history is kept. With `seen`, deletes only if the campaign is still what
   * the user agreed to delete: its owner, default flag, name and mirror address.
   */
  deleteCampaign(campaign: CampaignId, seen?: CampaignRecord): Promise<Deletion>;
}
