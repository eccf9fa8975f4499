import type * as domain from '@campaign-mirror/domain';
import { accessKeyOf } from '@campaign-mirror/domain';
import { type InMemoryStore, timestampOf } from './store.ts';

/** Campaigns and mirrors in memory: for tests, and for reuse without persistence. */
export class InMemoryCampaigns implements domain.CampaignRepository {
  readonly #store: InMemoryStore;

  constructor(store: InMemoryStore) {
    this.#store = store;
  }

  async find(id: domain.CampaignId): Promise<domain.Campaign | undefined> {
    return this.#find(id);
  }

  async setMirror(
    seen: domain.Campaign,
    { address, by, requestId }: domain.MirrorChange,
  ): Promise<domain.SetMirrorResult> {
    const { mirrors, history } = this.#store;
    const id = accessKeyOf(by.subject);
    const key = id && this.#store.accessKey(id);
    if (id && (key?.ownerId !== seen.ownerId || !this.#store.isValid(key))) return { kind: 'caller-invalid' };
    const campaign = this.#find(seen.id);
    const mirror = mirrors.get(seen.id);
    const isAsSeen = campaign?.ownerId === seen.ownerId && campaign.isDefault === seen.isDefault;
    if (!mirror || !seen.hasMirror || !isAsSeen) return { kind: 'campaign-differs', campaign };

    const changedAt = this.#after(mirror.updatedAt);
    history.push({
      id: this.#store.nextId(),
      mirrorId: mirror.id,
      campaignId: seen.id,
      subject: by.subject,
      ownerId: seen.ownerId,
      addressBefore: mirror.targetUrl,
      addressAfter: address,
      changedAt,
      requestId,
    });
    Object.assign(mirror, { targetUrl: address, updatedExternally: true });
    Object.assign(mirror, { updatedExternallyAt: changedAt, updatedAt: changedAt });
    return { kind: 'mirror-set', mirror: { ...mirror } };
  }

  #find(id: domain.CampaignId): domain.Campaign | undefined {
    const stored = this.#store.campaigns.get(id);
    return stored && { ...stored, hasMirror: this.#store.mirrors.has(id) };
  }

  /** Now, or a microsecond after this time if the clock is behind it. */
  #after(time: domain.Timestamp): domain.Timestamp {
    const later = BigInt(Date.parse(`${time.slice(0, 23)}Z`)) * 1000n + BigInt(time.slice(23, 26)) + 1n;
    const now = this.#store.now();
    return timestampOf(now > later ? now : later);
  }
}
