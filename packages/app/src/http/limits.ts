import type { CallLimits, Count, Limiter, Rate } from '@campaign-mirror/adapters-http';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { type Log, throttled } from '../logging/log-events.ts';
import type { Life } from '../process/life.ts';
import type { Settings } from '../settings/settings.ts';

/** The names of the limits, in the log and in Redis. */
type LimitName = 'key' | 'failed-keys';

/** Counts one more for a key or an address. Rejects within a bounded time if it cannot. */
type Counting = (keyOrAddress: string) => Promise<Count>;

/** The limits that are set. They count in Redis if REDIS_URL is set, otherwise in this process. */
export async function openLimits(
  { RATE_LIMIT, FAILED_KEY_LIMIT, REDIS_URL }: Settings,
  log: Log,
  life: Pick<Life, 'atEnd'>,
): Promise<CallLimits> {
  const inMemory = (_: LimitName, rate: Rate) => memoryCounting(rate);
  const isShared = REDIS_URL && (RATE_LIMIT || FAILED_KEY_LIMIT);
  const counting = isShared ? await sharedCounting(REDIS_URL, life) : inMemory;
  const limiter = (name: LimitName, rate?: Rate) => rate && limiterOf(name, rate, counting(name, rate), log);
  return { keys: limiter('key', RATE_LIMIT), failedKeys: limiter('failed-keys', FAILED_KEY_LIMIT) };
}

/** If a request cannot be counted, it passes: a limit is worth less than a change of a live mirror. */
export function limiterOf(limit: LimitName, rate: Rate, counting: Counting, log: Log): Limiter {
  const warn = throttled(log, 'warn');
  const count = (keyOrAddress: string) =>
    counting(keyOrAddress).catch((error) => {
      warn({ event: 'uncounted', limit, err: error }, 'a request could not be counted, and was let through');
      return undefined;
    });
  return { rate, count };
}

/** What rate-limiter-flexible resolves with, or rejects with above the limit. @throws any other rejection */
function countOf(result: unknown): Count {
  if (!(result instanceof RateLimiterRes)) throw result;
  return { consumed: result.consumedPoints, resetIn: Math.max(result.msBeforeNext, 0) };
}

/** Counts at most `max` keys or addresses at once; the least recently seen is forgotten first. */
export function memoryCounting({ limit, seconds }: Rate, max = 50_000): Counting {
  const limiter = new RateLimiterMemory({ points: limit, duration: seconds, keyPrefix: '' });
  // The limiter itself forgets nothing before its window is over.
  const recent = new LRUCache<string, true>({
    max,
    dispose: (_, keyOrAddress) => void limiter.delete(keyOrAddress),
  });
  return (keyOrAddress) => {
    if (recent.get(keyOrAddress) === undefined) recent.set(keyOrAddress, true);
    return limiter.consume(keyOrAddress).then(countOf, countOf);
  };
}

/** Counts that several processes or machines share. While the connection is broken, they reject with the reason. */
async function sharedCounting(url: URL, life: Pick<Life, 'atEnd'>) {
  let fault: Error | undefined;
  const client = await connectRedis(url, (error) => {
    fault = error;
  });
  life.atEnd('limits', () => client.disconnect());
  const explained = (error: unknown): never => {
    if (client.status === 'ready') throw error;
    throw new Error('Redis is unavailable', { cause: fault ?? error });
  };
  return (name: LimitName, rate: Rate): Counting => {
    const count = redisCounting(client, name, rate);
    return (keyOrAddress) => count(keyOrAddress).catch(explained);
  };
}

export function redisCounting(storeClient: Redis, name: LimitName, { limit, seconds }: Rate): Counting {
  const limiter = new RateLimiterRedis({
    storeClient,
    points: limit,
    duration: seconds,
    // The rate is a part of the key: a window of another rate would not fit.
    keyPrefix: `campaign-mirror:${name}:${limit}/${seconds}`,
    rejectIfRedisNotReady: true,
  });
  return (keyOrAddress) => limiter.consume(keyOrAddress).then(countOf, countOf);
}

/**
 * A client that connects again whenever its connection breaks. Without a connection, commands fail at once; no command
 * waits for long, and none is sent twice. `onFault` receives the reason of each failed attempt. Times are in milliseconds.
 */
export async function connectRedis({ href }: URL, onFault: (error: Error) => void): Promise<Redis> {
  // Loaded only if it is needed.
  const { Redis } = await import('ioredis');
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
