import type { HistoryEntry } from '../set-campaign-mirror/campaign-repository.ts';
import type { CampaignId, HistoryId, OwnerId, Timestamp } from '../values/identifiers.ts';

/** Which changes to follow. */
export interface FollowedChanges {
  /** Also the changes since this time that are committed already; they come first. */
  readonly since?: Timestamp | undefined;
  /** Only changes of campaigns that had this owner at that moment. */
  readonly owner?: OwnerId | undefined;
  readonly campaign?: CampaignId | undefined;
}

/** The changes of addresses as they are committed. */
export interface ChangeFeed {
  /**
   * First the changes since a time, by default since `feedOverlap` ago, and those with higher numbers than `after`, by
   * their numbers; then every change that is committed later, each once. Several looks a second; none while the caller
   * takes a change. Never ends. The time of a look, by the store's clock, comes before the changes that it found.
   * @throws Unavailable also when another server answers, or the same after a restart
   */
  follow(
    changes: FollowedChanges & { readonly after?: HistoryId | undefined },
  ): AsyncIterable<HistoryEntry | { readonly lookedAt: Timestamp }>;
}

/** By how much the next session overlaps the one before it, in seconds: longer than a usual transaction is open. */
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

  /** A session: what was not returned yet. Its first step is a look. @throws Unavailable, after which another may begin */
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
