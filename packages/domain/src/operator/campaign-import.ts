import type { CampaignRecord } from './campaign-settings.ts';

/** A campaign and its mirror in one row, in the order of the CSV columns; null for a missing value. */
export const campaignRow = ({ mirror, ...campaign }: CampaignRecord) => ({
  id: campaign.id,
  name: campaign.name,
  owner_id: campaign.ownerId,
  is_default: campaign.isDefault,
  created_at: campaign.createdAt,
  mirror_id: mirror?.id ?? null,
  target_url: mirror?.targetUrl ?? null,
  clicks: mirror?.clicks ?? null,
  updated_externally: mirror?.updatedExternally ?? null,
  updated_externally_at: mirror?.updatedExternallyAt ?? null,
  mirror_created_at: mirror?.createdAt ?? null,
  mirror_updated_at: mirror?.updatedAt ?? null,
});

type CampaignRow = ReturnType<typeof campaignRow>;

/** The name of a CSV column. */
export type CampaignColumn = keyof CampaignRow;
/** In the order of an export. */
export const campaignColumns = Object.keys(
  campaignRow({ mirror: null } as CampaignRecord),
) as CampaignColumn[];

/** A campaign to import; it has an owner. Null: the store chooses the number or time, and uses false or 0. */
export type ImportedCampaign = { readonly [Column in CampaignColumn]: CampaignRow[Column] | null };

/** Why a line is not imported. */
export interface ImportFault {
  /** Null if the fault is in the whole line. */
  readonly column: string | null;
  /** A code for programs, such as `campaign-taken`. */
  readonly fault: string;
  readonly reason: string;
}

/** A line of the file, numbered from 1. `campaign` is null if there are faults. */
export interface ImportLine {
  readonly line: number;
  readonly campaign: ImportedCampaign | null;
  readonly faults: readonly ImportFault[];
}

/** The result of an import. Nothing was imported if a line is invalid, or in a dry run. */
export interface ImportOutcome {
  /** The number of valid campaigns and mirrors. */
  readonly campaigns: number;
  readonly mirrors: number;
  readonly invalidLines: number;
  /** The first 1,000, by line and column. */
  readonly faults: readonly (ImportFault & Pick<ImportLine, 'line'>)[];
}

/** Imports campaigns. */
export interface CampaignImport {
  /**
   * Imports every line, or none if a line is invalid, in a dry run, or after an error from `lines`. Campaigns keep
   * their numbers; new numbers continue above the highest one. The audit records `source`.
   */
  importAll(
    source: string,
    lines: AsyncIterable<ImportLine>,
    options: { readonly dryRun: boolean; readonly allowDuplicates: boolean },
  ): Promise<ImportOutcome>;
}

/** Writes every campaign with its mirror, by ascending number, from one snapshot. */
export interface CampaignExport {
  /** Writes CSV with a header, or JSON lines, until `write` resolves with false. Returns the number of campaigns. */
  copyTo(format: 'csv' | 'json', write: (chunk: Uint8Array) => Promise<boolean>): Promise<number>;
}
