import type { Campaign, CampaignId, CampaignRepository, Mirror, MirrorChange } from '@campaign-mirror/domain';
import type { CampaignLookUp, MirrorUpdates } from './hot-path.ts';
import { type HotPathObserver, silentHotPathObserver } from './hot-path-observer.ts';

/** Campaigns and mirrors in PostgreSQL. */
export class PostgresCampaigns implements CampaignRepository {
  readonly #hotPath: CampaignLookUp & MirrorUpdates;
  readonly #observer: HotPathObserver;

  constructor(hotPath: CampaignLookUp & MirrorUpdates, observer: HotPathObserver = silentHotPathObserver) {
    this.#hotPath = hotPath;
    this.#observer = observer;
  }

  find(id: CampaignId): Promise<Campaign | undefined> {
    return this.#hotPath.campaign(id);
  }

  async setMirror(seen: Campaign, change: MirrorChange): Promise<Mirror | undefined> {
    if (!seen.hasMirror) return undefined;
    const mirror = await this.#hotPath.set(seen, change);
    if (!mirror) this.#observer.judgedAgain();
    return mirror;
  }
}
