import type { Limiter, Rate } from '@campaign-mirror/adapters-http';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Counts in this process, at most `max` keys or addresses at once; the least recently seen is forgotten first. */
export function limiterOf(rate: Rate, max = 50_000): Limiter {
  const limiter = new RateLimiterMemory({ points: rate.limit, duration: rate.seconds, keyPrefix: '' });
  // The limiter itself forgets nothing before its window is over.
  const recent = new LRUCache<string, true>({ max, dispose: (_, who) => void limiter.delete(who) });
  const count = async (who: string) => {
    if (recent.get(who) === undefined) recent.set(who, true);
    // Above the limit, it rejects with the same.
    const result = await limiter.consume(who).catch((refused) => refused);
    if (!(result instanceof RateLimiterRes)) throw result;
    return { consumed: result.consumedPoints, resetIn: Math.max(result.msBeforeNext, 0) };
  };
  return { rate, count };
}
