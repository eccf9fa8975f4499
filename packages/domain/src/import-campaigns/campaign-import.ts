import type { CampaignId, MirrorId, OwnerId } from '../values/identifiers.ts';
import type { BadField, Claims, ImportedCampaign } from './imported-campaign.ts';

/** Why a line cannot be imported. What takes the place already is a line before it, or, with null, in the store. */
export type LineFault =
  | BadField
  | { readonly kind: 'campaign-taken'; readonly id: CampaignId; readonly line: number | null }
  | { readonly kind: 'mirror-taken'; readonly id: MirrorId; readonly line: number | null }
  /** An owner has at most one default campaign; the first of them is told. */
  | {
      readonly kind: 'second-default';
      readonly ownerId: OwnerId;
      readonly id: CampaignId | null;
      readonly name: string | null;
      readonly line: number | null;
    }
  /** The driving adapter could not read it, in its words. */
  | { readonly kind: 'unread'; readonly because: string };

/** A line: its number from 1, and what it says, or what is wrong with it. */
export type ImportLine = { readonly line: number } & (
  | { readonly campaign: ImportedCampaign }
  | { readonly faults: readonly LineFault[]; readonly claims: Claims }
);

export interface BadLine {
  readonly line: number;
  readonly fault: LineFault;
}

export type ImportOutcome =
  | { readonly kind: 'imported'; readonly campaigns: number; readonly mirrors: number }
  /** Nothing was imported, for so many bad lines. */
  | { readonly kind: 'refused'; readonly badLines: number };

/** Where campaigns come in from elsewhere. Every call throws `Unavailable` when the store is away. */
export interface CampaignImport {
  /**
   * Imports every line, or none: then `tell` is called for each fault, in the order of the lines, and awaited. Numbers
   * are kept, and those of new campaigns and mirrors go on beyond them. That it was done is in the audit, with
   * `source`, where the lines are from. What `lines` or `tell` throws ends it, with nothing imported.
   */
  importAll(
    source: string,
    lines: AsyncIterable<ImportLine>,
    tell: (bad: BadLine) => Promise<void>,
  ): Promise<ImportOutcome>;
}
