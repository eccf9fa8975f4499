import type { CampaignRecord } from '../operator/campaign-settings.ts';
import type { CampaignId, MirrorId, OwnerId } from '../values/identifiers.ts';
import type { BadField, ImportedCampaign } from './imported-campaign.ts';

/** Why a line cannot be imported. */
export type LineFault =
  | BadField
  /** Another has the number, or is the default campaign of this owner: an earlier line or, if `line` is null, the store. */
  | { readonly kind: 'campaign-taken'; readonly id: CampaignId; readonly line: number | null }
  | { readonly kind: 'mirror-taken'; readonly id: MirrorId; readonly line: number | null }
  | { readonly kind: 'second-default'; readonly id: OwnerId; readonly line: number | null }
  /** The installation has the numbers from `first` to `last`, and no others. */
  | {
      readonly kind: 'out-of-range';
      readonly field: 'id' | 'mirror_id';
      readonly first: number;
      readonly last: number;
    }
  /** The line has no number, and the owner and the name or, without a name, the address of this campaign or earlier line. */
  | {
      readonly kind: 'duplicate';
      /** In the store; null if it is in an earlier line. */
      readonly id: CampaignId | null;
      readonly line: number | null;
      readonly ownerId: OwnerId;
      readonly name: string | null;
    }
  /** The driving adapter could not read the line; the text is the adapter's. */
  | { readonly kind: 'unread'; readonly because: string };

/** A line: its number, from 1, and the campaign or the faults in it. */
export type ImportLine = { readonly line: number } & (
  | { readonly campaign: ImportedCampaign }
  | { readonly faults: readonly LineFault[] }
);

/** A fault of a line. Lines are numbered from 1. */
export interface BadLine {
  readonly line: number;
  readonly fault: LineFault;
}

/** What an import did. */
export type ImportOutcome =
  /** What was imported or, in a dry run, would have been. */
  | { readonly kind: 'imported'; readonly campaigns: number; readonly mirrors: number }
  /** Nothing was imported, because of so many bad lines. */
  | { readonly kind: 'refused'; readonly badLines: number };

/** How lines are imported. */
export interface ImportOptions {
  /** Check the lines as an import does, and write nothing. */
  readonly dryRun: boolean;
  /** Import lines even if they are a `duplicate`. */
  readonly allowDuplicates: boolean;
}

/** Imports campaigns. */
export interface CampaignImport {
  /**
   * Imports every line or none. `report` is awaited for each fault, in the order of the lines; for duplicates only if
   * nothing else is bad. Campaigns keep their numbers; the sequences continue after the highest one. The audit has the
   * `source` of the lines. An error from `lines` or `report` ends the import, and nothing is imported.
   */
  importAll(
    source: string,
    lines: AsyncIterable<ImportLine>,
    report: (bad: BadLine) => Promise<void>,
    options: ImportOptions,
  ): Promise<ImportOutcome>;
}

/** Reads all campaigns. */
export interface CampaignExport {
  /** Every campaign with its mirror, by ascending number, all from one snapshot. `onCount` first receives their number. */
  all(onCount?: (count: number) => void): AsyncIterable<CampaignRecord>;
}
