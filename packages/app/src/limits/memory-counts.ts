import type { Count, Rate } from '@campaign-mirror/adapters-http';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Counts } from './counts.ts';
import { countOf } from './limiter-result.ts';

/** The maximum number of keys or addresses counted at once; the least recently seen is forgotten first. */
const defaultMaxKnown = 50_000;

/** Counts in the memory of this process. */
export class MemoryCounts implements Counts {
  readonly #limiter: RateLimiterMemory;
  /** The limiter itself forgets nothing before its window is over. */
  readonly #known: LRUCache<string, true>;

  constructor({ limit, seconds }: Rate, maxKnown = defaultMaxKnown) {
    this.#limiter = new RateLimiterMemory({ points: limit, duration: seconds, keyPrefix: '' });
    this.#known = new LRUCache({ max: maxKnown, dispose: (_, who) => void this.#limiter.delete(who) });
  }

  count(who: string): Promise<Count> {
    if (this.#known.get(who) === undefined) this.#known.set(who, true);
    return this.#limiter.consume(who).then(countOf, countOf);
  }
}
