import type { Campaign, CampaignId, CampaignRepository, Mirror, MirrorChange } from '@campaign-mirror/domain';
import { campaignIn, setMirrorIn } from './in-memory-set-mirror.ts';
import type { InMemoryStore } from './in-memory-store.ts';

/** Campaigns and mirrors in memory: for tests, and for reuse where nothing need be kept. */
export class InMemoryCampaigns implements CampaignRepository {
  readonly #store: InMemoryStore;

  constructor(store: InMemoryStore) {
    this.#store = store;
  }

  async find(id: CampaignId): Promise<Campaign | undefined> {
    return campaignIn(this.#store, id);
  }

  async setMirror(seen: Campaign, { address, by, requestId }: MirrorChange): Promise<Mirror | undefined> {
    return setMirrorIn(this.#store, seen, address, { actor: 'key', accessKeyId: by.accessKeyId, requestId });
  }
}
