import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { type Counts, countOf } from './counts.ts';

/**
 * A client that connects again whenever its connection breaks. Without a connection, commands fail at once; no command
 * waits for long, and none is sent twice. `onFault` receives the reason of each failed attempt. Times are in milliseconds.
 */
export function connectRedis({ href }: URL, onFault: (error: Error) => void): Redis {
  const client = new Redis(href, {
    protocol: 2,
    connectionName: 'campaign-mirror',
    disableClientInfo: true,
    connectTimeout: 2_000,
    // Short, because a request waits for the command.
    commandTimeout: 250,
    // How long any reply may take: after that the connection is abandoned.
    socketTimeout: 1_000,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 50, 1_000),
    // After a failover by address, the connection that stays leads to a replica.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  });
  client.on('error', onFault);
  return client;
}

export const redisCounting =
  (storeClient: Redis): Counts['counting'] =>
  (name, { limit, seconds }) => {
    const limiter = new RateLimiterRedis({
      storeClient,
      points: limit,
      duration: seconds,
      // The rate is a part of the key: a window of another rate would not fit.
      keyPrefix: `campaign-mirror:${name}:${limit}/${seconds}`,
      rejectIfRedisNotReady: true,
    });
    return (keyOrAddress) => limiter.consume(keyOrAddress).then(countOf, countOf);
  };

/** Counts that several processes or machines share. While the connection is broken, they reject with the reason. */
export function redisCounts(url: URL): Counts {
  let fault: Error | undefined;
  const client = connectRedis(url, (error) => {
    fault = error;
  });
  const explained = (error: unknown): never => {
    if (client.status === 'ready') throw error;
    throw new Error('Redis is unavailable', { cause: fault ?? error });
  };
  return {
    counting: (name, rate) => {
      const count = redisCounting(client)(name, rate);
      return (keyOrAddress) => count(keyOrAddress).catch(explained);
    },
    close: () => client.disconnect(),
  };
}
