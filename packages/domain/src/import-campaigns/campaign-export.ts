import type { CampaignRecord } from '../operator/campaign-record.ts';

/** Where all campaigns are read at once. Throws `Unavailable` when the store is away. */
export interface CampaignExport {
  /**
   * Every campaign with its mirror, in the order of their numbers, all as they were at the same moment. `total` is
   * told how many there are, before the first.
   */
  all(total?: (campaigns: number) => void): AsyncIterable<CampaignRecord>;
}
