import type {
  Campaign,
  CampaignCreation,
  CampaignId,
  CampaignRepository,
  CampaignSettings,
  Mirror,
  MirrorAddress,
  MirrorChange,
  MirrorCreation,
  NewCampaign,
} from '@campaign-mirror/domain';
import { type InMemoryStore, microseconds, timestamp } from './in-memory-store.ts';

/** Campaigns and mirrors in memory: for tests, and for reuse where nothing need be kept. */
export class InMemoryCampaigns implements CampaignRepository, CampaignSettings {
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

  async createCampaign({ owner, isDefault, name }: NewCampaign): Promise<CampaignCreation> {
    const taken = [...this.#store.campaigns.values()].find((one) => one.ownerId === owner && one.isDefault);
    if (isDefault && taken) return { kind: 'owner-has-default', id: taken.id };
    const id = this.#store.nextId<CampaignId>();
    this.#store.campaigns.set(id, { id, ownerId: owner, isDefault, name });
    return { kind: 'created', id };
  }

  async createMirror(campaignId: CampaignId, address: MirrorAddress): Promise<MirrorCreation> {
    if (!this.#store.campaigns.has(campaignId)) return { kind: 'campaign-not-found' };
    if (this.#store.mirrors.has(campaignId)) return { kind: 'mirror-exists' };
    const createdAt = timestamp(this.#store.now());
    const mirror: Mirror = {
      id: this.#store.nextId(),
      campaignId,
      targetUrl: address,
      clicks: 0,
      updatedExternally: false,
      updatedExternallyAt: null,
      createdAt,
      updatedAt: createdAt,
    };
    this.#store.mirrors.set(campaignId, { ...mirror });
    return { kind: 'created', mirror };
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
