import type { Count, Rate } from '@campaign-mirror/adapters-http';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** The names of the limits, in the log and in Redis. */
export type LimitName = 'key' | 'failed-keys';

/** Counts one more for a key or an address. Rejects within a bounded time if it cannot. */
export type Counting = (keyOrAddress: string) => Promise<Count>;

export interface Counts {
  counting(limit: LimitName, rate: Rate): Counting;
  close(): void;
}

/** What rate-limiter-flexible resolves with, or rejects with above the limit. @throws any other rejection */
export function countOf(result: unknown): Count {
  if (!(result instanceof RateLimiterRes)) throw result;
  return { consumed: result.consumedPoints, resetIn: Math.max(result.msBeforeNext, 0) };
}

/** Counts at most `max` keys or addresses at once; the least recently seen is forgotten first. */
export function memoryCounting({ limit, seconds }: Rate, max = 50_000): Counting {
  const limiter = new RateLimiterMemory({ points: limit, duration: seconds, keyPrefix: '' });
  // The limiter itself forgets nothing before its window is over.
  const recent = new LRUCache<string, true>({
    max,
    dispose: (_, keyOrAddress) => void limiter.delete(keyOrAddress),
  });
  return (keyOrAddress) => {
    if (recent.get(keyOrAddress) === undefined) recent.set(keyOrAddress, true);
    return limiter.consume(keyOrAddress).then(countOf, countOf);
  };
}

export const memoryCounts: Counts = { counting: (_, rate) => memoryCounting(rate), close: () => {} };
