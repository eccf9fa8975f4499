import type { Limiter, Rate } from '@campaign-mirror/adapters-http';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Counts in this process, at most `max` keys or addresses at once; the least recently seen is forgotten first. */
export function limiterOf(rate: Rate, max = 50_000): Limiter {
  const limiter = new RateLimiterMemory({ points: rate.limit, duration: rate.seconds, keyPrefix: '' });
  // The limiter itself forgets nothing before its window is over.
  const recent = new LRUCache<string, true>({
    max,
    dispose: (_, keyOrAddress) => void limiter.delete(keyOrAddress),
  });
  const count = (keyOrAddress: string) => {
    if (recent.get(keyOrAddress) === undefined) recent.set(keyOrAddress, true);
    return limiter.consume(keyOrAddress).then(countOf, countOf);
  };
  return { rate, count };
}

/** What rate-limiter-flexible resolves with, or rejects with above the limit. @throws any other rejection */
function countOf(result: unknown) {
  if (!(result instanceof RateLimiterRes)) throw result;
  return { consumed: result.consumedPoints, resetIn: Math.max(result.msBeforeNext, 0) };
}
