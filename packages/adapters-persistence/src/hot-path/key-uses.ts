import type { AccessKeyId } from '@campaign-mirror/domain';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { withTimeLimit } from '../connection/stoppable.ts';

const record = 'select campaign_mirror.note_key_uses($1::bigint[])';

/** The maximum number of keys written together. */
const maxGathered = 10_000;

/**
 * Writes when access keys were last used, in the background: no request waits for it, and its failures are only
 * counted. Uses noted within `gatherFor` milliseconds are written by one statement, and never two run at once.
 */
export class KeyUses {
  noted = 0;
  writes = 0;
  /** Writes that failed; the uses that they contained are lost. */
  failures = 0;
  readonly #pool: Pool;
  readonly #gatherFor: number;
  /** Keys of the last minute: repeated uses, and those that could not be written, are skipped. */
  readonly #recent = new LRUCache<AccessKeyId, true>({ max: 100_000, ttl: 60_000 });
  #gathered = new Set<AccessKeyId>();
  #timer: NodeJS.Timeout | undefined;
  #writing = Promise.resolve();

  constructor(pool: Pool, { gatherFor = 1_000 } = {}) {
    this.#pool = pool;
    this.#gatherFor = gatherFor;
  }

  note(id: AccessKeyId): void {
    if (this.#recent.has(id) || this.#gathered.size >= maxGathered) return;
    this.#recent.set(id, true);
    this.#gathered.add(id);
    this.noted += 1;
    this.#writeSoon();
  }

  /** Writes the uses noted so far. Never rejects. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeGathered());
    return this.#writing;
  }

  /** Writes the uses noted so far. False if `timeout` milliseconds were not enough. */
  stop(timeout = 1_000): Promise<boolean> {
    const written = this.write().then(() => true);
    return withTimeLimit(timeout, written, false);
  }

  #writeSoon(): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      void this.write().then(() => {
        this.#timer = undefined;
        if (this.#gathered.size > 0) this.#writeSoon();
      });
    }, this.#gatherFor).unref();
  }

  async #writeGathered(): Promise<void> {
    const ids = [...this.#gathered];
    this.#gathered = new Set();
    if (ids.length === 0) return;
    try {
      await this.#pool.query(record, [ids]);
      this.writes += 1;
    } catch {
      this.failures += 1;
    }
  }
}
