import type { Campaign, CampaignId, CampaignRepository, Mirror, MirrorChange } from '@campaign-mirror/domain';
import type { CampaignLookUp, MirrorUpdates } from './hot-path.ts';

/** Campaigns and mirrors in PostgreSQL. */
export class PostgresCampaigns implements CampaignRepository {
  readonly #hotPath: CampaignLookUp & MirrorUpdates;

  constructor(hotPath: CampaignLookUp & MirrorUpdates) {
    this.#hotPath = hotPath;
  }

  find(id: CampaignId): Promise<Campaign | undefined> {
    return this.#hotPath.campaign(id);
  }

  async setMirror(seen: Campaign, change: MirrorChange): Promise<Mirror | undefined> {
    return seen.hasMirror ? this.#hotPath.set(seen, change) : undefined;
  }
}
