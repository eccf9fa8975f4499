import type { Count, Rate } from '@campaign-mirror/adapters-http';
import { RateLimiterRes } from 'rate-limiter-flexible';

/** The limits, by their names in the log and in stores. */
export type LimitName = 'key' | 'failed-keys';

/** Counts one more for a key or an address. Rejects within a bounded time where that is impossible. */
export type Counting = (who: string) => Promise<Count>;

/** Where counts are kept. */
export interface Counts {
  counting(limit: LimitName, rate: Rate): Counting;
  close(): void;
}

/**
 * What a limiter of rate-limiter-flexible resolves with, or rejects with above the limit. @throws any other rejection
 */
export function countOf(result: unknown): Count {
  if (!(result instanceof RateLimiterRes)) throw result;
  return { consumed: result.consumedPoints, resetIn: Math.max(result.msBeforeNext, 0) };
}
