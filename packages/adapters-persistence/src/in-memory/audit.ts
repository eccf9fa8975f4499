import type { Audit, AuditEntry, AuditPage } from '@campaign-mirror/domain';
import type { InMemoryStore } from './store.ts';

/** The audit of the operator's acts, in memory: for tests, and for reuse without persistence. */
export class InMemoryAudit implements Audit {
  readonly #store: InMemoryStore;

  constructor(store: InMemoryStore) {
    this.#store = store;
  }

  async list({ campaign, before, limit }: AuditPage): Promise<AuditEntry[]> {
    return this.#store.audit
      .filter(({ campaignId }) => campaign === undefined || campaignId === campaign)
      .filter(({ id }) => before === undefined || id < before)
      .reverse()
      .slice(0, limit);
  }
}
