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

/** An owner has at most one default campaign; this one is it already. */
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
  /** A campaign has one mirror; it is set, not created again. */
  | { readonly kind: 'mirror-exists' };

export type Transfer =
  | { readonly kind: 'transferred'; readonly from: OwnerId }
  /** It belonged to that owner before: nothing was done. */
  | { readonly kind: 'unchanged' }
  | CampaignNotFound
  /** A default campaign stays one, so that its new owner may have none. */
  | OwnerHasDefault;

export type DefaultChange =
  /** Unchanged where it was so before: nothing was done. */
  { readonly kind: 'changed' | 'unchanged'; readonly ownerId: OwnerId } | CampaignNotFound | OwnerHasDefault;

export type Deletion =
  /** As it was in the end, the last click included. */
  | { readonly kind: 'deleted'; readonly campaign: CampaignRecord }
  | CampaignNotFound
  | { readonly kind: 'changed-meanwhile' };

/**
 * Where the operator creates and changes campaigns, and creates their mirrors. What was done is in the audit, or
 * neither is. Every call throws `Unavailable` when the store is away.
 */
export interface CampaignSettings {
  createCampaign(campaign: NewCampaign): Promise<CampaignCreation>;
  createMirror(campaign: CampaignId, address: MirrorAddress): Promise<MirrorCreation>;
  transfer(campaign: CampaignId, to: OwnerId): Promise<Transfer>;
  /** Makes it its owner's default campaign, or an ordinary one. */
  setDefault(campaign: CampaignId, isDefault: boolean): Promise<DefaultChange>;

  /**
   * Deletes a campaign and its mirror; their history stays. With `seen` only while the campaign still is what
   * whoever agreed to it has seen: its owner, its default flag, its name, and the address of its mirror.
   */
  deleteCampaign(campaign: CampaignId, seen?: CampaignRecord): Promise<Deletion>;
}
