import type { HistoryEntry, HistoryId, Timestamp } from '@campaign-mirror/domain';
import type { ChangeFeed, FollowedChanges } from '@campaign-mirror/domain/operator';

/**
 * By how much the next session overlaps the one before it, in seconds: longer than a usual transaction is open, and not
 * longer than the past that a feed returns by default.
 */
export const feedOverlap = 60;

/** The changes of one or more sessions, each change once. */
export class ChangeFollower {
  readonly #changes: FollowedChanges;
  /** All changes before this time were returned, but for those of transactions that are open for long. */
  #completeUntil: Timestamp | undefined;
  /** What the next session may find again. After a failover that lost commits, a number can be another change's. */
  readonly #returned = new Map<HistoryId, Timestamp>();
  /** The highest number so far: what has a higher one is new, though the clock of the next server is behind. */
  #after: HistoryId | undefined;
  #forgetsAbove = 1_000;

  constructor(changes: FollowedChanges) {
    this.#changes = changes;
  }

  /** Where the next session begins; undefined if it returns no changes of the past. */
  get since(): Timestamp | undefined {
    const { since } = this.#changes;
    if (!this.#completeUntil) return since;
    const overlap = earlier(this.#completeUntil, feedOverlap);
    return since && since > overlap && since <= this.#completeUntil ? since : overlap;
  }

  /** What was not returned yet, after a first look. @throws Unavailable, after which another session may begin */
  async *session(feed: ChangeFeed): AsyncGenerator<HistoryEntry | { readonly lookedAt: Timestamp }> {
    const { since } = this;
    let looks = 0;
    let lookedAt: Timestamp | undefined;
    for await (const step of feed.follow({ ...this.#changes, since, after: this.#after })) {
      if ('lookedAt' in step) {
        looks += 1;
        // All that the look before it has found was returned. Without changes of the past, so it is at the first look.
        this.#advance(lookedAt ?? (since ? undefined : step.lookedAt));
        lookedAt = step.lookedAt;
        yield step;
        continue;
      }
      const { id, changedAt } = step;
      if (this.#returned.get(id) === changedAt) continue;
      this.#returned.set(id, changedAt);
      if (!(this.#after && this.#after > id)) this.#after = id;
      // Those from before the beginning are only known, so that no later session returns them.
      if (since || looks > 1) yield step;
      // Numbers rise with time. A time in the future, as a wrong clock leaves it, says nothing.
      if (lookedAt && changedAt <= lookedAt) this.#advance(changedAt);
      if (this.#returned.size > this.#forgetsAbove) this.#forget();
    }
  }

  #advance(time: Timestamp | undefined): void {
    if (time && !(this.#completeUntil && this.#completeUntil > time)) this.#completeUntil = time;
  }

  /** Forgets the changes that are too old for the next session. */
  #forget(): void {
    const old = this.#completeUntil && earlier(this.#completeUntil, 2 * feedOverlap);
    for (const [id, changedAt] of this.#returned) if (old && changedAt < old) this.#returned.delete(id);
    this.#forgetsAbove = 2 * this.#returned.size + 1_000;
  }
}

function earlier(time: Timestamp, seconds: number): Timestamp {
  const milliseconds = new Date(Date.parse(time) - seconds * 1_000).toISOString().slice(0, -1);
  return `${milliseconds}000Z` as Timestamp;
}
