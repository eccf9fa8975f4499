import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { type Counts, countOf } from './counts.ts';

/**
 * A connection that is made again whenever it breaks. Without one, commands fail at once; none waits for long, and none
 * is sent twice. `onFault` receives the reason, with every attempt. Times are in milliseconds.
 */
export function connectRedis({ href }: URL, onFault: (error: Error) => void): Redis {
  const client = new Redis(href, {
    protocol: 2,
    connectionName: 'campaign-mirror',
    disableClientInfo: true,
    connectTimeout: 2_000,
    // A request waits for it.
    commandTimeout: 250,
    // For a reply to anything sent: then the connection is abandoned.
    socketTimeout: 1_000,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 50, 1_000),
  });
  client.on('error', onFault);
  return client;
}

/** Counts of several processes or machines together. Where the connection is broken, they reject with the reason. */
export function redisCounts(url: URL): Counts {
  let fault: Error | undefined;
  const storeClient = connectRedis(url, (error) => {
    fault = error;
  });
  const explained = (error: unknown): never => {
    if (storeClient.status === 'ready') throw error;
    throw new Error('Redis is unavailable', { cause: fault ?? error });
  };
  return {
    counting: (name, { limit, seconds }) => {
      const limiter = new RateLimiterRedis({
        storeClient,
        points: limit,
        duration: seconds,
        // With the rate: a window of another rate would not fit.
        keyPrefix: `campaign-mirror:${name}:${limit}/${seconds}`,
        rejectIfRedisNotReady: true,
      });
      return (who) => limiter.consume(who).then(countOf, countOf).catch(explained);
    },
    close: () => storeClient.disconnect(),
  };
}
