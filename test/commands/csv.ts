import { type CampaignFields, campaignFields } from '@campaign-mirror/domain/operator';

/** The first line of a CSV file of campaigns. */
export const header = campaignFields.join(',');

/** A line of it; what is left out is empty. Values with commas or quotation marks come quoted. */
export function line(given: Partial<CampaignFields>): string {
  return campaignFields.map((field) => given[field] ?? '').join(',');
}

export function csv(...lines: readonly string[]): string {
  return [header, ...lines, ''].join('\n');
}
