import type { Rate } from '@campaign-mirror/adapters-http';
import type { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { RedisAddress } from '../settings/redis-url.ts';
import type { Counts, LimitName } from './counts.ts';
import { countOf } from './limiter-result.ts';
import { connectRedis } from './redis-connection.ts';

/** A Redis in which several machines count together. */
export class RedisStore {
  readonly #client: Redis;
  #fault: Error | undefined;

  constructor(address: RedisAddress) {
    this.#client = connectRedis(address, (fault) => {
      this.#fault = fault;
    });
  }

  /** For one limit. Where the connection is broken, it rejects with the reason. */
  counts(name: LimitName, { limit, seconds }: Rate): Counts {
    const limiter = new RateLimiterRedis({
      storeClient: this.#client,
      points: limit,
      duration: seconds,
      // With the rate: a window of another rate would not fit.
      keyPrefix: `campaign-mirror:${name}:${limit}/${seconds}`,
      rejectIfRedisNotReady: true,
    });
    return {
      count: (who) =>
        limiter
          .consume(who)
          .then(countOf, countOf)
          .catch((error) => this.#explained(error)),
    };
  }

  #explained(error: unknown): never {
    if (this.#client.status === 'ready') throw error;
    throw new Error('Redis is unavailable', { cause: this.#fault ?? error });
  }

  close(): void {
    this.#client.disconnect();
  }
}
