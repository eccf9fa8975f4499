import { type CampaignColumn, campaignColumns } from '@campaign-mirror/domain/operator';

/** The first line of a CSV file of campaigns. */
export const header = campaignColumns.join(',');

/** A line of it; what is left out is empty. Values with commas or quotation marks come quoted. */
export function line(given: Partial<Record<CampaignColumn, string>>): string {
  return campaignColumns.map((column) => given[column] ?? '').join(',');
}

export function csv(...lines: readonly string[]): string {
  return [header, ...lines, ''].join('\n');
}
