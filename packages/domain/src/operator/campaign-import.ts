import type { CampaignRecord } from './campaign-settings.ts';

/** A campaign and its mirror in one row, by the columns of CSV in their order; null for what is missing. */
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

/** The name of a column of CSV. */
export type CampaignColumn = keyof CampaignRow;
const noCampaign = { mirror: null } as CampaignRecord;
/** In the order of an export. */
export const campaignColumns = Object.keys(campaignRow(noCampaign)) as CampaignColumn[];

/** A campaign to import, with an owner. If null, the store chooses a number or a time; a flag is false, a count 0. */
export type ImportedCampaign = { readonly [Column in CampaignColumn]: CampaignRow[Column] | null };

/** Why a line is not imported. */
export interface ImportFault {
  /** Null if the whole line is at fault. */
  readonly column: string | null;
  /** For programs, such as `campaign-taken`. */
  readonly fault: string;
  /** For people. */
  readonly reason: string;
}

/** A line to import, by its number, from 1. Without a campaign, it has faults. */
export interface ImportLine {
  readonly line: number;
  readonly campaign: ImportedCampaign | null;
  readonly faults: readonly ImportFault[];
}

/** What was imported; nothing if lines are invalid, or in a dry run. */
export interface ImportOutcome {
  /** Those of the lines without a fault of their own, imported or not. */
  readonly campaigns: number;
  readonly mirrors: number;
  readonly invalidLines: number;
  /** The first 1,000, in the order of the lines and of the columns. */
  readonly faults: readonly (ImportFault & Pick<ImportLine, 'line'>)[];
}

/** Imports campaigns. */
export interface CampaignImport {
  /**
   * Imports every line or, if one is invalid, in a dry run and after an error from `lines`, none. Campaigns keep
   * their numbers; the sequences continue after the highest one. `source` is recorded in the audit.
   */
  importAll(
    source: string,
    lines: AsyncIterable<ImportLine>,
    options: { readonly dryRun: boolean; readonly allowDuplicates: boolean },
  ): Promise<ImportOutcome>;
}

/** Writes every campaign with its mirror, by ascending number, all from one snapshot. */
export interface CampaignExport {
  /**
   * In UTF-8, as CSV with a header, or a JSON object on each line, until `write` resolves with false. Returns the number of
   * campaigns.
   */
  copyTo(format: 'csv' | 'json', write: (chunk: Uint8Array) => Promise<boolean>): Promise<number>;
}
