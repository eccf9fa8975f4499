import type { CampaignRecord } from '../operator/campaign-record.ts';

/** Reads all campaigns. Throws `Unavailable` when the store is unavailable. */
export interface CampaignExport {
  /**
   * Every campaign with its mirror, by ascending number, all from one snapshot. `total` is called with their number
   * before the first.
   */
  all(total?: (campaigns: number) => void): AsyncIterable<CampaignRecord>;
}
