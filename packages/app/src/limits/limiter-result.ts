import type { Count } from '@campaign-mirror/adapters-http';
import { RateLimiterRes } from 'rate-limiter-flexible';

/**
 * What a limiter of rate-limiter-flexible resolves with, or rejects with above the limit. @throws any other rejection
 */
export function countOf(result: unknown): Count {
  if (!(result instanceof RateLimiterRes)) throw result;
  return { consumed: result.consumedPoints, resetIn: Math.max(result.msBeforeNext, 0) };
}
