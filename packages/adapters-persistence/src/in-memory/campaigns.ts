import {
  accessKeyOf,
  type Campaign,
  type CampaignId,
  type CampaignRepository,
  type MirrorChange,
  type SetMirrorResult,
} from '@campaign-mirror/domain';
import { campaignIn, setMirrorIn } from './set-mirror.ts';
import { isValid, StoreAdapter, timestamp } from './store.ts';

/** Campaigns and mirrors in memory: for tests, and for reuse without persistence. */
export class InMemoryCampaigns extends StoreAdapter implements CampaignRepository {
  async find(id: CampaignId): Promise<Campaign | undefined> {
    return campaignIn(this.store, id);
  }

  async setMirror(seen: Campaign, { address, by, requestId }: MirrorChange): Promise<SetMirrorResult> {
    const id = accessKeyOf(by.subject);
    const key = id && this.store.accessKey(id);
    if (id && (key?.ownerId !== seen.ownerId || !isValid(key, timestamp(this.store.now()))))
      return { kind: 'caller-invalid' };
    const mirror = setMirrorIn(this.store, seen, address, { subject: by.subject, requestId });
    if (mirror) return { kind: 'mirror-set', mirror };
    return { kind: 'campaign-differs', campaign: campaignIn(this.store, seen.id) };
  }
}
