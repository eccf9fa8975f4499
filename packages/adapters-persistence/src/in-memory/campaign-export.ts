import type { CampaignExport, CampaignRecord } from '@campaign-mirror/domain';
import { InMemoryCampaignRecords } from './campaign-records.ts';
import { StoreAdapter } from './store.ts';

/** All campaigns and their mirrors, in memory: for tests, and for reuse without persistence. */
export class InMemoryCampaignExport extends StoreAdapter implements CampaignExport {
  async *all(): AsyncGenerator<CampaignRecord> {
    yield* await new InMemoryCampaignRecords(this.store).list({ limit: Number.POSITIVE_INFINITY });
  }
}
