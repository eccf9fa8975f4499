import type { CampaignRecord } from '../operator/campaign-settings.ts';
import type { CampaignId, MirrorId, OwnerId } from '../values/identifiers.ts';
import type { BadField, Claims, ImportedCampaign } from './imported-campaign.ts';

/** Why a line cannot be imported. A conflict is with an earlier line or, if `line` is null, with the store. */
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
  /** The line has no number, and the owner and the name or, without a name, the address of this campaign in the store. */
  | {
      readonly kind: 'duplicate';
      readonly id: CampaignId;
      readonly ownerId: OwnerId;
      readonly name: string | null;
    }
  /** The driving adapter could not read the line; the text is the adapter's. */
  | { readonly kind: 'unread'; readonly because: string };

/** A line: its number, from 1, and the campaign or the faults in it. */
export type ImportLine = { readonly line: number } & (
  | { readonly campaign: ImportedCampaign }
  | { readonly faults: readonly LineFault[]; readonly claims: Claims }
);

/** A fault of a line. Lines are numbered from 1. */
export interface BadLine {
  readonly line: number;
  readonly fault: LineFault;
}

/** The result of an import. Nothing was imported unless it is `imported`. */
export type ImportOutcome =
  | { readonly kind: 'imported'; readonly campaigns: number; readonly mirrors: number }
  /** The result of a dry run: what an import would have written. */
  | { readonly kind: 'would-import'; readonly campaigns: number; readonly mirrors: number }
  /** The number of lines that are duplicates of campaigns in the store. */
  | { readonly kind: 'duplicates'; readonly lines: number }
  /** The number of bad lines. */
  | { readonly kind: 'refused'; readonly badLines: number };

/** Options of an import. */
export interface ImportOptions {
  /** Check the lines as an import does, and write nothing. */
  readonly dryRun: boolean;
  /** Import lines even if they are a `duplicate`. */
  readonly allowDuplicates: boolean;
}

/** Imports campaigns. Every call throws `Unavailable` when the store is unavailable. */
export interface CampaignImport {
  /**
   * Imports every line or none. If lines are bad, `report` is called and awaited for each fault, in the order of the
   * lines. Campaigns keep their numbers; the sequences continue after the highest one. The import is recorded in the
   * audit with `source`, the origin of the lines. An error from `lines` or `report` ends the import, and nothing is
   * imported.
   */
  importAll(
    source: string,
    lines: AsyncIterable<ImportLine>,
    report: (bad: BadLine) => Promise<void>,
    options?: ImportOptions,
  ): Promise<ImportOutcome>;
}

/** Reads all campaigns. Every call throws `Unavailable` when the store is unavailable. */
export interface CampaignExport {
  /** The number of campaigns. */
  count(): Promise<number>;

  /** Every campaign with its mirror, by ascending number, all from one snapshot. */
  all(): AsyncIterable<CampaignRecord>;
}
