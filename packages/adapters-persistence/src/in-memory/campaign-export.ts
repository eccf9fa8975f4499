import type { CampaignExport, CampaignRecord } from '@campaign-mirror/domain';
import { InMemoryCampaignRecords } from './campaign-records.ts';
import type { InMemoryStore } from './store.ts';

/** All campaigns and their mirrors, in memory: for tests, and for reuse without persistence. */
export class InMemoryCampaignExport implements CampaignExport {
  readonly #records: InMemoryCampaignRecords;

  constructor(store: InMemoryStore) {
    this.#records = new InMemoryCampaignRecords(store);
  }

  async *all(): AsyncGenerator<CampaignRecord> {
    yield* await this.#records.list({ limit: Number.POSITIVE_INFINITY });
  }
}
