import type { CampaignId, OwnerId } from './identifiers.ts';
import type { Label } from './label.ts';
import type { Mirror } from './mirror.ts';
import type { MirrorAddress } from './mirror-address.ts';

export interface NewCampaign {
  readonly owner: OwnerId;
  readonly isDefault: boolean;
  readonly name?: Label;
}

/** An owner has at most one default campaign; this one is it already. */
export interface OwnerHasDefault {
  readonly kind: 'owner-has-default';
  readonly id: CampaignId;
  readonly name: string | null;
}

export type CampaignCreation = { readonly kind: 'created'; readonly id: CampaignId } | OwnerHasDefault;

export type MirrorCreation =
  | { readonly kind: 'created'; readonly mirror: Mirror }
  | { readonly kind: 'campaign-not-found' }
  /** A campaign has one mirror; it is set, not created again. */
  | { readonly kind: 'mirror-exists' };

/**
 * Where the operator creates campaigns and their mirrors. What was done is in the audit, or neither is.
 * Every call throws `Unavailable` when the store is away.
 */
export interface CampaignSettings {
  createCampaign(campaign: NewCampaign): Promise<CampaignCreation>;
  createMirror(campaign: CampaignId, address: MirrorAddress): Promise<MirrorCreation>;
}
