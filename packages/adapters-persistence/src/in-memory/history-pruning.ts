import {
  type HistoryEntry,
  type HistoryPosition,
  type HistoryPruning,
  type HistorySurvey,
  leastPrunedAge,
  type PruneStep,
  type Timestamp,
} from '@campaign-mirror/domain';
import { StoreAdapter, timestamp } from './store.ts';

/** Pruning of the history, in memory: for tests, and for reuse without persistence. */
export class InMemoryHistoryPruning extends StoreAdapter implements HistoryPruning {
  async survey(age: number): Promise<HistorySurvey> {
    const olderThan = this.#ago(age);
    const old = this.store.history.filter((entry) => entry.changedAt < olderThan).length;
    return { olderThan, changes: this.store.history.length, old };
  }

  async prune(olderThan: Timestamp, size: number, after?: HistoryPosition): Promise<PruneStep> {
    if (olderThan > this.#ago(leastPrunedAge))
      throw new RangeError('history of the last day is never pruned');
    const looked = this.store.history
      .toSorted(inOrder)
      .filter((entry) => !after || inOrder(entry, { campaignId: after.campaign, id: after.id }) > 0)
      .slice(0, size);
    const old = new Set(looked.filter((entry) => entry.changedAt < olderThan));
    const kept = this.store.history.filter((entry) => !old.has(entry));
    this.store.history.splice(0, Number.POSITIVE_INFINITY, ...kept);
    if (old.size > 0) {
      const details = { changes: old.size, older_than: olderThan };
      this.note({ act: 'history-pruned', details });
    }
    const last = looked.length === size ? looked.at(-1) : undefined;
    const next = last && { campaign: last.campaignId, id: last.id };
    return { lookedAt: looked.length, pruned: old.size, next };
  }

  #ago(seconds: number): Timestamp {
    return timestamp(this.store.now() - BigInt(seconds) * 1_000_000n);
  }
}

type Place = Pick<HistoryEntry, 'campaignId' | 'id'>;

function inOrder(one: Place, next: Place): number {
  return one.campaignId - next.campaignId || one.id - next.id;
}
