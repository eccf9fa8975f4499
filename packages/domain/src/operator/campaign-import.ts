import type { Mirror } from '../set-campaign-mirror/campaign-repository.ts';
import type { CampaignId, Label, MirrorId, OwnerId, Timestamp } from '../values/identifiers.ts';
import type { CampaignRecord } from './campaign-settings.ts';

/** A campaign to import. The store chooses the value of a null field: the next number, or the current time. */
export interface ImportedCampaign {
  readonly id: CampaignId | null;
  readonly name: Label | null;
  readonly ownerId: OwnerId;
  readonly isDefault: boolean;
  readonly createdAt: Timestamp | null;
  readonly mirror: ImportedMirror | null;
}

/** The mirror of an imported campaign. */
export interface ImportedMirror
  extends Pick<Mirror, 'targetUrl' | 'clicks' | 'updatedExternally' | 'updatedExternallyAt'> {
  readonly id: MirrorId | null;
  readonly createdAt: Timestamp | null;
  readonly updatedAt: Timestamp | null;
}

/** A line to import, by its number, from 1. Without a campaign, it could not be read, so nothing is imported. */
export interface ImportLine {
  readonly line: number;
  readonly campaign: ImportedCampaign | null;
}

/** Why the store refuses a campaign. `line`: the earlier line that it conflicts with; null if it is one in the store. */
export type ImportFault =
  /** `id` is the number that is taken, or the owner who would have two default campaigns. */
  | {
      readonly kind: 'campaign-taken' | 'mirror-taken' | 'second-default';
      readonly id: number;
      readonly line: number | null;
    }
  /** It has no number, and the owner and the name or, without a name, the address of another one. */
  | {
      readonly kind: 'duplicate';
      /** Null if the other one is in an earlier line. */
      readonly id: CampaignId | null;
      readonly line: number | null;
      readonly ownerId: OwnerId;
      readonly name: string | null;
    }
  /** More than an hour ahead of the store's clock. */
  | {
      readonly kind: 'in-the-future';
      readonly time: 'createdAt' | 'updatedExternallyAt' | 'mirrorCreatedAt' | 'mirrorUpdatedAt';
    };

/** What an import did. */
export type ImportOutcome =
  /** What was imported or, in a dry run, would have been. */
  | { readonly kind: 'imported'; readonly campaigns: number; readonly mirrors: number }
  /** Nothing was imported, because of so many bad lines. */
  | { readonly kind: 'refused'; readonly badLines: number };

/** Imports campaigns. */
export interface CampaignImport {
  /**
   * Imports every line or none; none in a dry run, or after an error from `lines` or `report`. `report` is awaited for
   * each fault, in the order of the lines; for duplicates only if they are not allowed, and nothing else is bad.
   * Campaigns keep their numbers; the sequences continue after the highest one. The audit has the `source` of the lines.
   */
  importAll(
    source: string,
    lines: AsyncIterable<ImportLine>,
    report: (line: number, fault: ImportFault) => Promise<void>,
    options: { readonly dryRun: boolean; readonly allowDuplicates: boolean },
  ): Promise<ImportOutcome>;
}

/** Reads all campaigns. */
export interface CampaignExport {
  /** Every campaign with its mirror, by ascending number, all from one snapshot. */
  all(): AsyncIterable<CampaignRecord>;
}
