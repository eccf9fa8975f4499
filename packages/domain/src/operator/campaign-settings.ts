import type { Mirror } from '../set-campaign-mirror/ports.ts';
import type { HostName } from '../values/hosts.ts';
import type { CampaignId, Label, OwnerId, Timestamp } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';

/** A campaign with its mirror; null before the mirror is created. */
export interface CampaignRecord {
  readonly id: CampaignId;
  readonly ownerId: OwnerId;
  readonly isDefault: boolean;
  readonly name: string | null;
  readonly createdAt: Timestamp;
  readonly mirror: Mirror | null;
}

/** Which records to list, by ascending number: those after `after`, at most `limit` (1 or more). */
export interface RangeQuery<Id> {
  readonly owner?: OwnerId | undefined;
  readonly after?: Id | undefined;
  readonly limit: number;
}

/** With hosts, only mirrors whose address may name one of them, or a name below one: the caller checks them. */
export type MirrorQuery = RangeQuery<CampaignId> & { readonly hosts?: readonly HostName[] };

/** The number of mirrors that one query by host examines. */
export const hostScanBatch = 20_000;

/** The mirrors that match, and how many were examined. */
export interface ExaminedMirrors<M> {
  readonly mirrors: readonly M[];
  readonly examined: number;
  /** The campaign of the last mirror examined; undefined if there are no more mirrors. */
  readonly last: CampaignId | undefined;
}

/** Reads campaigns and their mirrors. */
export interface CampaignRecords {
  find(id: CampaignId): Promise<CampaignRecord | undefined>;
  /** With `name`, only campaigns whose name contains it; upper and lower case make no difference. */
  list(query: RangeQuery<CampaignId> & { readonly name?: string | undefined }): Promise<CampaignRecord[]>;
  listMirrors(query: MirrorQuery): Promise<ExaminedMirrors<Mirror>>;
}

/** The campaign to create. */
export interface NewCampaign {
  readonly owner: OwnerId;
  readonly isDefault: boolean;
  readonly name?: Label;
}

/** Nothing was done, since the owner has this default campaign already. */
export interface OwnerHasDefault extends Pick<CampaignRecord, 'id' | 'ownerId' | 'name'> {
  readonly kind: 'owner-has-default';
}

/** The result of creating a campaign. */
export type CampaignCreation = { readonly kind: 'created'; readonly id: CampaignId } | OwnerHasDefault;

/** The result of creating a mirror. A campaign has at most one. */
export type MirrorCreation =
  | { readonly kind: 'created'; readonly mirror: Mirror }
  | { readonly kind: 'mirror-exists' | 'campaign-not-found' };

/** The result of a transfer, or of a change of the default flag. `ownerId` is the previous owner. */
export type CampaignChange =
  | { readonly kind: 'changed' | 'unchanged'; readonly ownerId: OwnerId }
  | { readonly kind: 'campaign-not-found' }
  | OwnerHasDefault;

/** The result of a deletion. `campaign`: its final state, with its last click. */
export type Deletion =
  | { readonly kind: 'deleted'; readonly campaign: CampaignRecord }
  | { readonly kind: 'changed-meanwhile' | 'campaign-not-found' | 'mirror-not-created' };

/** The operator's acts on campaigns. An act and its audit entry are committed together. */
export interface CampaignSettings {
  createCampaign(campaign: NewCampaign): Promise<CampaignCreation>;
  createMirror(campaign: CampaignId, address: MirrorAddress): Promise<MirrorCreation>;
  /** A default campaign stays a default campaign, so the new owner must not have one. */
  transfer(campaign: CampaignId, to: OwnerId): Promise<CampaignChange>;
  setDefault(campaign: CampaignId, isDefault: boolean): Promise<CampaignChange>;
  /** Deletes a campaign and its mirror. With `seen`: only if owner, default flag, name and address are the same. */
  deleteCampaign(campaign: CampaignId, seen?: CampaignRecord): Promise<Deletion>;
  /** Deletes only the mirror, under the same conditions. */
  deleteMirror(campaign: CampaignId, seen?: CampaignRecord): Promise<Deletion>;
}
