import type { Campaign, CampaignId, CampaignRepository, Mirror, MirrorChange } from '@campaign-mirror/domain';
import { type InMemoryStore, microseconds, timestamp } from './in-memory-store.ts';

/** Campaigns and mirrors in memory: for tests, and for reuse where nothing need be kept. */
export class InMemoryCampaigns implements CampaignRepository {
  readonly #store: InMemoryStore;

  constructor(store: InMemoryStore) {
    this.#store = store;
  }

  async find(id: CampaignId): Promise<Campaign | undefined> {
    return this.#campaign(id);
  }

  async setMirror(seen: Campaign, { address, by, requestId }: MirrorChange): Promise<Mirror | undefined> {
    if (!seen.hasMirror) return undefined;
    const now = this.#campaign(seen.id);
    const mirror = this.#store.mirrors.get(seen.id);
    if (!now || !mirror || now.ownerId !== seen.ownerId || now.isDefault !== seen.isDefault) return undefined;

    const clock = this.#store.now();
    const later = microseconds(mirror.updatedAt) + 1n;
    const changedAt = timestamp(clock > later ? clock : later);
    this.#store.history.push({
      mirrorId: mirror.id,
      campaignId: seen.id,
      actor: 'key',
      accessKeyId: by.accessKeyId,
      ownerId: now.ownerId,
      addressBefore: mirror.targetUrl,
      addressAfter: address,
      changedAt,
      requestId,
    });
    mirror.targetUrl = address;
    mirror.updatedExternally = true;
    mirror.updatedExternallyAt = changedAt;
    mirror.updatedAt = changedAt;
    return { ...mirror };
  }

  #campaign(id: CampaignId): Campaign | undefined {
    const stored = this.#store.campaigns.get(id);
    if (!stored) return undefined;
    return {
      id,
      ownerId: stored.ownerId,
      isDefault: stored.isDefault,
      hasMirror: this.#store.mirrors.has(id),
    };
  }
}
