import type { Audit, AuditEntry, AuditPage } from '@campaign-mirror/domain';
import { StoreAdapter } from './store.ts';

/** The audit of the operator's acts, in memory: for tests, and for reuse without persistence. */
export class InMemoryAudit extends StoreAdapter implements Audit {
  async list({ campaign, before, limit }: AuditPage): Promise<AuditEntry[]> {
    return this.store.audit
      .filter(({ campaignId }) => campaign === undefined || campaignId === campaign)
      .filter(({ id }) => before === undefined || id < before)
      .reverse()
      .slice(0, limit);
  }
}
