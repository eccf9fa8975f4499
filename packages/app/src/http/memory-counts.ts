import type { Rate } from '@campaign-mirror/adapters-http';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { type Counting, countOf } from './counts.ts';

/** The maximum number of keys or addresses counted at once; the least recently seen is forgotten first. */
const defaultMaxKnown = 50_000;

/** Counts in the memory of this process. */
export function memoryCounting({ limit, seconds }: Rate, maxKnown = defaultMaxKnown): Counting {
  const limiter = new RateLimiterMemory({ points: limit, duration: seconds, keyPrefix: '' });
  // The limiter itself forgets nothing before its window is over.
  const known = new LRUCache<string, true>({
    max: maxKnown,
    dispose: (_, who) => void limiter.delete(who),
  });
  return (who) => {
    if (known.get(who) === undefined) known.set(who, true);
    return limiter.consume(who).then(countOf, countOf);
  };
}
