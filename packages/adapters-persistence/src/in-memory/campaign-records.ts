import type {
  CampaignId,
  CampaignPage,
  CampaignRecord,
  CampaignRecords,
  Mirror,
} from '@campaign-mirror/domain';
import { StoreAdapter } from './store.ts';

/** Campaigns and their mirrors as the operator sees them, in memory: for tests, and for reuse without persistence. */
export class InMemoryCampaignRecords extends StoreAdapter implements CampaignRecords {
  async find(id: CampaignId): Promise<CampaignRecord | undefined> {
    return this.store.record(id);
  }

  async list({ limit, ...asked }: CampaignPage): Promise<CampaignRecord[]> {
    return this.#asked(asked).slice(0, limit);
  }

  async listMirrors({ limit, ...asked }: CampaignPage): Promise<Mirror[]> {
    return this.#asked(asked)
      .flatMap(({ mirror }) => mirror ?? [])
      .slice(0, limit);
  }

  #asked({ owner, after = 0 as CampaignId }: Omit<CampaignPage, 'limit'>): CampaignRecord[] {
    return [...this.store.campaigns.keys()]
      .filter((id) => id > after)
      .sort((one, other) => one - other)
      .flatMap((id) => this.store.record(id) ?? [])
      .filter(({ ownerId }) => owner === undefined || ownerId === owner);
  }
}
