import type { Mirror } from '../set-campaign-mirror/campaign-repository.ts';
import { type AddressRefusal, checkedAddress } from '../set-campaign-mirror/set-campaign-mirror.ts';
import type { HostList, HostName } from '../values/hosts.ts';
import type { CampaignId, Label, OwnerId, Timestamp } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';

/** A campaign with its mirror; null until the mirror is created in the settings. */
export interface CampaignRecord {
  readonly id: CampaignId;
  readonly ownerId: OwnerId;
  readonly isDefault: boolean;
  readonly name: string | null;
  readonly createdAt: Timestamp;
  readonly mirror: Mirror | null;
}

/** Which records to list, by ascending number: those after one, at most `limit` (1 or more). */
export interface Page<Id> {
  readonly owner?: OwnerId | undefined;
  readonly after?: Id | undefined;
  readonly limit: number;
}

/** With hosts, only mirrors that may have one, or a name below it, anywhere in the address: look closer. */
export type MirrorPage = Page<CampaignId> & { readonly hosts?: readonly HostName[] };

/** How many mirrors are examined for a host together, at most. */
export const examinedTogether = 20_000;

/** The mirrors on a page, and how many were examined for it, including those left out because of their host. */
export interface ExaminedMirrors<M> {
  readonly mirrors: readonly M[];
  readonly examined: number;
  /** The campaign of the last mirror examined, if there can be more; otherwise undefined. */
  readonly last: CampaignId | undefined;
}

/** Reads campaigns and their mirrors. */
export interface CampaignRecords {
  find(id: CampaignId): Promise<CampaignRecord | undefined>;
  /** With `name` only campaigns whose name contains it, in upper or lower case. */
  list(page: Page<CampaignId> & { readonly name?: string | undefined }): Promise<CampaignRecord[]>;
  listMirrors(page: MirrorPage): Promise<ExaminedMirrors<Mirror>>;
}

/** The campaign to create. */
export interface NewCampaign {
  readonly owner: OwnerId;
  readonly isDefault: boolean;
  readonly name?: Label;
}

/** The owner's default campaign, of which there is one at most. Nothing was done. */
export interface OwnerHasDefault extends Pick<CampaignRecord, 'id' | 'ownerId' | 'name'> {
  readonly kind: 'owner-has-default';
}

/** The result of the creation of a campaign. */
export type CampaignCreation = { readonly kind: 'created'; readonly id: CampaignId } | OwnerHasDefault;

/** The result of the creation of a mirror, of which a campaign has at most one. */
export type MirrorCreation =
  | { readonly kind: 'created'; readonly mirror: Mirror }
  | { readonly kind: 'mirror-exists' | 'campaign-not-found' };

/** The result of a transfer, or of a change of the default flag. `ownerId` is the owner before it. */
export type CampaignChange =
  | { readonly kind: 'changed' | 'unchanged'; readonly ownerId: OwnerId }
  | { readonly kind: 'campaign-not-found' }
  | OwnerHasDefault;

/** The result of a deletion: the campaign in its final state, including the last click; or nothing was deleted. */
export type Deletion =
  | { readonly kind: 'deleted'; readonly campaign: CampaignRecord }
  | { readonly kind: 'changed-meanwhile' | 'campaign-not-found' | 'mirror-not-created' };

/** The operator's acts on campaigns, each committed together with its entry in the audit. */
export interface CampaignSettings {
  createCampaign(campaign: NewCampaign): Promise<CampaignCreation>;
  createMirror(campaign: CampaignId, address: MirrorAddress): Promise<MirrorCreation>;
  /** A default campaign remains one, so the new owner must not have another. */
  transfer(campaign: CampaignId, to: OwnerId): Promise<CampaignChange>;
  setDefault(campaign: CampaignId, isDefault: boolean): Promise<CampaignChange>;
  /**
   * Deletes a campaign and its mirror, but not their history. With `seen`, only if its owner, default flag, name and
   * mirror address are still those that the user agreed to delete.
   */
  deleteCampaign(campaign: CampaignId, seen?: CampaignRecord): Promise<Deletion>;
  /** The same for the mirror alone: rule one refuses the campaign until a mirror is created again. */
  deleteMirror(campaign: CampaignId, seen?: CampaignRecord): Promise<Deletion>;
}

/** Creates the mirror of a campaign. The rules of the address apply. */
export async function createMirror(
  settings: Pick<CampaignSettings, 'createMirror'>,
  denied: HostList,
  campaign: CampaignId,
  submitted: string,
): Promise<MirrorCreation | AddressRefusal> {
  const address = checkedAddress(submitted, denied);
  return typeof address === 'string' ? settings.createMirror(campaign, address) : address;
}
