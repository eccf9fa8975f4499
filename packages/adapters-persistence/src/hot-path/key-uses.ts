import type { AccessKeyId } from '@campaign-mirror/domain';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { within } from '../connection/within.ts';

/**
 * What others wrote meanwhile is not written again, and a row that somebody holds is not waited for: its next use
 * is written.
 */
const record = `
  with noted as materialized (
    select id from campaign_mirror.access_keys
    where id = any($1::bigint[])
      and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')
    for no key update skip locked
  )
  update campaign_mirror.access_keys set last_used_at = clock_timestamp()
  from noted where access_keys.id = noted.id`;

/** In milliseconds: within it a key's use is written once at most. */
const minute = 60_000;

/** Keys that are remembered, at most: as many as there are claims. */
const maxRecent = 100_000;

/** Keys that are written together, at most. */
const maxGathered = 10_000;

/** How often a write gives way to requests that wait for a connection, at most. */
const givesWay = 60;

/**
 * Writes when access keys were last used, beside the requests: nobody waits for it, and nobody hears of it when it
 * fails. What is noted within `gatherFor` milliseconds is written by one statement, and never two are under way.
 */
export class KeyUses {
  /** Keys whose use was noted. */
  noted = 0;
  /** Writes that were done. */
  writes = 0;
  /** Writes that failed; the uses they were for are lost. */
  failures = 0;
  readonly #pool: Pool;
  readonly #gatherFor: number;
  /** Of the last minute: what a burst notes again, or what could not be written, is passed over. */
  readonly #recent = new LRUCache<AccessKeyId, true>({ max: maxRecent, ttl: minute });
  #gathered = new Set<AccessKeyId>();
  #timer: NodeJS.Timeout | undefined;
  #writing = Promise.resolve();

  constructor(pool: Pool, { gatherFor = 1_000 } = {}) {
    this.#pool = pool;
    this.#gatherFor = gatherFor;
  }

  /** Notes that a valid key is used. */
  note(id: AccessKeyId): void {
    if (this.#recent.has(id) || this.#gathered.size >= maxGathered) return;
    this.#recent.set(id, true);
    this.#gathered.add(id);
    this.noted += 1;
    this.#writeSoon();
  }

  /** Writes what was noted so far. Never rejects. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeGathered());
    return this.#writing;
  }

  /** Writes what was noted, in bounded time: `timeout` in milliseconds. False where that was not enough. */
  async stop(timeout = 1_000): Promise<boolean> {
    clearTimeout(this.#timer);
    const written = this.write().then(() => true);
    return within(timeout, written, false);
  }

  #writeSoon(gaveWay = 0): void {
    if (this.#timer && gaveWay === 0) return;
    this.#timer = setTimeout(() => {
      if (this.#pool.waitingCount > 0 && gaveWay < givesWay) return this.#writeSoon(gaveWay + 1);
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
