import type { Mirror } from '../set-campaign-mirror/campaign-repository.ts';
import type { CampaignId, Label, MirrorId, OwnerId, Timestamp } from '../values/identifiers.ts';
import type { CampaignRecord } from './campaign-settings.ts';

/** A campaign to import. The store chooses a number or a time that is null. */
export interface ImportedCampaign {
  readonly id: CampaignId | null;
  readonly name: Label | null;
  readonly ownerId: OwnerId;
  readonly isDefault: boolean;
  readonly createdAt: Timestamp | null;
  readonly mirror: ImportedMirror | null;
}

/** The mirror of a campaign to import. */
export interface ImportedMirror extends Omit<Mirror, 'id' | 'campaignId' | 'createdAt' | 'updatedAt'> {
  readonly id: MirrorId | null;
  readonly createdAt: Timestamp | null;
  readonly updatedAt: Timestamp | null;
}

/** A line to import, by its number, from 1. Without a campaign, it could not be read, so nothing is imported. */
export interface ImportLine {
  readonly line: number;
  readonly campaign: ImportedCampaign | null;
}

/** Why the store refuses a campaign. `line`: the earlier line that it conflicts with; null if it is in the store. */
export type ImportFault =
  /** `id` is the number that is taken, or the owner who would have two default campaigns. */
  | (Conflict & { readonly kind: 'campaign-taken' | 'mirror-taken' | 'second-default'; readonly id: number })
  /** A line without a number has the owner and the name or, without a name, the address of campaign `id` or `line`. */
  | (Conflict & Pick<ImportedCampaign, 'id' | 'ownerId' | 'name'> & { readonly kind: 'duplicate' })
  /** A time, such as `mirrorCreatedAt`, that lies more than an hour ahead of the store's clock. */
  | { readonly kind: 'in-the-future'; readonly time: string };

type Conflict = { readonly line: number | null };

/** What was imported or, in a dry run, would have been; or nothing, because of so many bad lines. */
export type ImportOutcome =
  | { readonly kind: 'imported'; readonly campaigns: number; readonly mirrors: number }
  | { readonly kind: 'refused'; readonly badLines: number };

/** Imports campaigns. */
export interface CampaignImport {
  /**
   * Imports every line or none; none in a dry run, or after an error from `lines` or `report`. `report` is awaited for
   * each fault, in the order of the lines; for duplicates only if they are not allowed, and nothing else is bad.
   * Campaigns keep their numbers; the sequences continue after the highest one. The audit has the `source`.
   */
  importAll(
    source: string,
    lines: AsyncIterable<ImportLine>,
    report: (line: number, fault: ImportFault) => Promise<void>,
    options: { readonly dryRun: boolean; readonly allowDuplicates: boolean },
  ): Promise<ImportOutcome>;
}

/** Reads every campaign with its mirror, by ascending number, all from one snapshot. */
export interface CampaignExport {
  all(): AsyncIterable<CampaignRecord>;
}
