import {
  type CampaignId,
  type HistoryEntry,
  type HistoryId,
  type HistoryPage,
  type KeyChanges,
  keySubject,
  type MirrorHistory,
  type Timestamp,
} from '@campaign-mirror/domain';
import { StoreAdapter } from './store.ts';

/** The history in memory: for tests, and for reuse without persistence. */
export class InMemoryMirrorHistory extends StoreAdapter implements MirrorHistory {
  async list({ campaign, before, limit }: HistoryPage): Promise<HistoryEntry[]> {
    return this.store.history
      .filter(({ campaignId, id }) => campaignId === campaign && (before === undefined || id < before))
      .toSorted((one, next) => next.id - one.id)
      .slice(0, limit);
  }

  async find(campaign: CampaignId, id: HistoryId): Promise<HistoryEntry | undefined> {
    return this.store.history.find((entry) => entry.campaignId === campaign && entry.id === id);
  }

  async *ofKey({ key, since = '' as Timestamp }: KeyChanges): AsyncGenerator<HistoryEntry> {
    yield* this.store.history
      .filter(({ subject, changedAt }) => subject === keySubject(key) && changedAt >= since)
      .toSorted((one, next) => one.id - next.id);
  }
}
