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

/** Which campaigns to list: those after one, at most `limit` (1 or more). */
export interface CampaignPage {
  readonly owner?: OwnerId | undefined;
  readonly after?: CampaignId | undefined;
  readonly limit: number;
}

/** How many mirrors are examined for a host together, at most. */
export const examinedTogether = 20_000;

/** Which mirrors to examine, in the order of their campaigns, `limit` at most. */
export interface MirrorPage extends CampaignPage {
  /** Only those that may have this host, or a name below it: check with `isOnHost` and `namesHostElsewhere`. */
  readonly host?: HostName;
}

/** Those found on a page of mirrors, and where the next page begins. */
export interface ExaminedMirrors<M> {
  readonly mirrors: readonly M[];
  /** The number of mirrors examined, including those that were left out because of their host. */
  readonly examined: number;
  /** The campaign of the last mirror examined, if there can be more; otherwise undefined. */
  readonly last: CampaignId | undefined;
}

/** Reads campaigns and their mirrors. */
export interface CampaignRecords {
  /** Undefined if there is no such campaign. */
  find(id: CampaignId): Promise<CampaignRecord | undefined>;

  /** By ascending number; with `name` only campaigns whose name contains it, in upper or lower case. */
  list(page: CampaignPage & { readonly name?: string | undefined }): Promise<CampaignRecord[]>;
  listMirrors(page: MirrorPage): Promise<ExaminedMirrors<Mirror>>;
}

/** The campaign to create. */
export interface NewCampaign {
  readonly owner: OwnerId;
  readonly isDefault: boolean;
  readonly name?: Label;
}

/** The owner's default campaign, of which there is one at most. Nothing was done. */
export interface OwnerHasDefault {
  readonly kind: 'owner-has-default';
  readonly ownerId: OwnerId;
  readonly id: CampaignId;
  readonly name: string | null;
}

/** There is no such campaign. Nothing was done. */
export type CampaignNotFound = { readonly kind: 'campaign-not-found' };

/** The result of the creation of a campaign. */
export type CampaignCreation = { readonly kind: 'created'; readonly id: CampaignId } | OwnerHasDefault;

/** The result of the creation of a mirror. */
export type MirrorCreation =
  | { readonly kind: 'created'; readonly mirror: Mirror }
  | CampaignNotFound
  /** A campaign has at most one mirror, whose address is then set. */
  | { readonly kind: 'mirror-exists' };

/** The result of a transfer to another owner. A default campaign remains one, so that owner must not have another. */
export type Transfer =
  | { readonly kind: 'transferred'; readonly from: OwnerId }
  | { readonly kind: 'unchanged' }
  | CampaignNotFound
  | OwnerHasDefault;

/** The result of a change of the default flag. */
export type DefaultChange =
  | { readonly kind: 'changed' | 'unchanged'; readonly ownerId: OwnerId }
  | CampaignNotFound
  | OwnerHasDefault;

/** The result of a deletion: the campaign in its final state, including the last click; or nothing was deleted. */
export type Deletion =
  | { readonly kind: 'deleted'; readonly campaign: CampaignRecord }
  | CampaignNotFound
  | { readonly kind: 'changed-meanwhile' };

/** The operator's acts on campaigns, each committed together with its entry in the audit. */
export interface CampaignSettings {
  createCampaign(campaign: NewCampaign): Promise<CampaignCreation>;
  createMirror(campaign: CampaignId, address: MirrorAddress): Promise<MirrorCreation>;
  transfer(campaign: CampaignId, to: OwnerId): Promise<Transfer>;
  /** Makes the campaign its owner's default campaign, or an ordinary one. */
  setDefault(campaign: CampaignId, isDefault: boolean): Promise<DefaultChange>;

  /**
   * Deletes a campaign and its mirror, but not their history. With `seen`, only if its owner, default flag, name and
   * mirror address are still those that the user agreed to delete.
   */
  deleteCampaign(campaign: CampaignId, seen?: CampaignRecord): Promise<Deletion>;
}
