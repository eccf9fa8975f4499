import {
  type CampaignField,
  campaignFields,
} from '../../packages/adapters-cli/src/commands/campaign-fields.ts';

/** The first line of a CSV file of campaigns. */
export const header = campaignFields.join(',');

/** A line of it; what is left out is empty. Values with commas or quotation marks come quoted. */
export function line(given: Partial<Record<CampaignField, string>>): string {
  return campaignFields.map((field) => given[field] ?? '').join(',');
}

export function csv(...lines: readonly string[]): string {
  return [header, ...lines, ''].join('\n');
}
