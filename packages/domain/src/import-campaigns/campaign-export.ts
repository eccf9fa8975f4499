import type { CampaignRecord } from '../operator/campaign-record.ts';

/** Where all campaigns are read at once. Throws `Unavailable` when the store is away. */
export interface CampaignExport {
  /** Every campaign with its mirror, in the order of their numbers, all as they were at the same moment. */
  all(): AsyncIterable<CampaignRecord>;
}
