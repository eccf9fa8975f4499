import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { RedisAddress } from '../settings/redis-url.ts';
import type { Store } from './counts.ts';
import { countOf } from './limiter-result.ts';
import { connectRedis } from './redis-connection.ts';

/** A Redis in which several machines count together. Where the connection is broken, counts reject with the reason. */
export function redisStore(address: RedisAddress): Store {
  let fault: Error | undefined;
  const storeClient = connectRedis(address, (error) => {
    fault = error;
  });
  const explained = (error: unknown): never => {
    if (storeClient.status === 'ready') throw error;
    throw new Error('Redis is unavailable', { cause: fault ?? error });
  };
  return {
    countsOf: (name, { limit, seconds }) => {
      const limiter = new RateLimiterRedis({
        storeClient,
        points: limit,
        duration: seconds,
        // With the rate: a window of another rate would not fit.
        keyPrefix: `campaign-mirror:${name}:${limit}/${seconds}`,
        rejectIfRedisNotReady: true,
      });
      return { count: (who) => limiter.consume(who).then(countOf, countOf).catch(explained) };
    },
    close: () => storeClient.disconnect(),
  };
}
