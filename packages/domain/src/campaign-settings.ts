import type { CampaignId, OwnerId } from './identifiers.ts';
import type { Mirror } from './mirror.ts';
import type { MirrorAddress } from './mirror-address.ts';

export interface NewCampaign {
  readonly owner: OwnerId;
  readonly isDefault: boolean;
  readonly name?: string;
}

export type CampaignCreation =
  | { readonly kind: 'created'; readonly id: CampaignId }
  /** An owner has at most one default campaign; this one is it already. */
  | { readonly kind: 'owner-has-default'; readonly id: CampaignId };

export type MirrorCreation =
  | { readonly kind: 'created'; readonly mirror: Mirror }
  | { readonly kind: 'campaign-not-found' }
  /** A campaign has one mirror; it is set, not created again. */
  | { readonly kind: 'mirror-exists' };

/** Where the operator creates campaigns and their mirrors. Every call throws `Unavailable` when the store is away. */
export interface CampaignSettings {
  createCampaign(campaign: NewCampaign): Promise<CampaignCreation>;
  createMirror(campaign: CampaignId, address: MirrorAddress): Promise<MirrorCreation>;
}
