import { Redis } from 'ioredis';
import type { RedisAddress } from '../settings/redis-url.ts';

/** Milliseconds. */
const timeouts = {
  /** For an answer: a request waits for it. */
  answer: 250,
  /** For a connection. */
  connection: 2_000,
  /** For a word of a server that was asked: then the connection is given up. */
  silence: 1_000,
  longestPause: 1_000,
};

/**
 * A connection that is made anew whenever it breaks. While there is none, questions fail at once; none waits for long,
 * and none is asked a second time. `onFault` hears why there is none, as often as it is tried.
 */
export function connectRedis(address: RedisAddress, onFault: (error: Error) => void = () => {}): Redis {
  const { tls, ...where } = address;
  const client = new Redis({
    ...where,
    ...(tls && { tls: {} }),
    protocol: 2,
    connectionName: 'campaign-mirror',
    disableClientInfo: true,
    connectTimeout: timeouts.connection,
    commandTimeout: timeouts.answer,
    socketTimeout: timeouts.silence,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 50, timeouts.longestPause),
  });
  client.on('error', onFault);
  return client;
}
