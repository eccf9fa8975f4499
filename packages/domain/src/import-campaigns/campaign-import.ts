import type { CampaignRecord } from '../operator/campaign-settings.ts';
import type { CampaignId, MirrorId, OwnerId } from '../values/identifiers.ts';
import type { BadField, Claims, ImportedCampaign } from './imported-campaign.ts';

/** Why a line cannot be imported. A conflict is with an earlier line or, when the line is null, with the store. */
export type LineFault =
  | BadField
  | { readonly kind: 'campaign-taken'; readonly id: CampaignId; readonly line: number | null }
  | { readonly kind: 'mirror-taken'; readonly id: MirrorId; readonly line: number | null }
  /** An owner has at most one default campaign; the first one is reported. */
  | {
      readonly kind: 'second-default';
      readonly ownerId: OwnerId;
      readonly id: CampaignId | null;
      readonly name: string | null;
      readonly line: number | null;
    }
  /** It has no number, and equals this campaign in the store: its owner and its name or, without one, its address. */
  | {
      readonly kind: 'duplicate';
      readonly id: CampaignId;
      readonly ownerId: OwnerId;
      readonly name: string | null;
    }
  /** The driving adapter could not read the line; the text is the adapter's. */
  | { readonly kind: 'unread'; readonly because: string };

/** A line: its number, from 1, and its content or its fault. */
export type ImportLine = { readonly line: number } & (
  | { readonly campaign: ImportedCampaign }
  | { readonly faults: readonly LineFault[]; readonly claims: Claims }
);

/** What is wrong with a line; lines are counted from 1, as the file has them. */
export interface BadLine {
  readonly line: number;
  readonly fault: LineFault;
}

/** The result of an import: everything was imported, or nothing. */
export type ImportOutcome =
  | { readonly kind: 'imported'; readonly campaigns: number; readonly mirrors: number }
  /** Nothing was written; what would have been. */
  | { readonly kind: 'would-import'; readonly campaigns: number; readonly mirrors: number }
  /** Nothing was imported; the number of lines that equal campaigns in the store. */
  | { readonly kind: 'duplicates'; readonly lines: number }
  /** Nothing was imported; the number of bad lines. */
  | { readonly kind: 'refused'; readonly badLines: number };

/** How to import. */
export interface ImportTerms {
  /** Judges the lines as an import does, and writes nothing. */
  readonly dryRun: boolean;
  /** Imports lines that are a `duplicate`, for which it does not look. */
  readonly allowDuplicates: boolean;
}

/** Imports campaigns. Every call throws `Unavailable` when the store is unavailable. */
export interface CampaignImport {
  /**
   * Imports every line or none. If a line is bad, `report` is called and awaited for each fault, in the order of the
   * lines. Campaigns keep their numbers; the sequences continue after the highest one. The import is recorded in the
   * audit with `source`, the origin of the lines. An error from `lines` or `report` ends the import, and nothing is
   * imported.
   */
  importAll(
    source: string,
    lines: AsyncIterable<ImportLine>,
    report: (bad: BadLine) => Promise<void>,
    terms?: ImportTerms,
  ): Promise<ImportOutcome>;
}

/** Reads all campaigns. Every call throws `Unavailable` when the store is unavailable. */
export interface CampaignExport {
  /** The number of campaigns. */
  count(): Promise<number>;

  /** Every campaign with its mirror, by ascending number, all from one snapshot. */
  all(): AsyncIterable<CampaignRecord>;
}
