import { type CampaignColumn, campaignColumns } from '@campaign-mirror/domain/operator';

/** The first line of a CSV file of campaigns. */
export const header = campaignColumns.join(',');

/** A line with these values, which must be quoted where CSV needs it. */
export function line(given: Partial<Record<CampaignColumn, string>>): string {
  return campaignColumns.map((column) => given[column] ?? '').join(',');
}

export function csv(...lines: readonly string[]): string {
  return [header, ...lines, ''].join('\n');
}
