import type { Count, Rate } from '@campaign-mirror/adapters-http';
import type { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { Counts, LimitName } from './counts.ts';
import { countOf } from './limiter-result.ts';

/** Counts in Redis, for everything that uses it together. */
export class RedisCounts implements Counts {
  readonly #limiter: RateLimiterRedis;

  /** The names contain the rate: a window of another rate would not fit. */
  constructor(client: Redis, name: LimitName, { limit, seconds }: Rate) {
    const keyPrefix = `campaign-mirror:${name}:${limit}/${seconds}`;
    this.#limiter = new RateLimiterRedis({
      storeClient: client,
      points: limit,
      duration: seconds,
      keyPrefix,
      rejectIfRedisNotReady: true,
    });
  }

  count(who: string): Promise<Count> {
    return this.#limiter.consume(who).then(countOf, countOf);
  }
}
