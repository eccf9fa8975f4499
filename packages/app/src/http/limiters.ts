import type { CallLimits, Limiter, Rate } from '@campaign-mirror/adapters-http';
import { type Log, throttled } from '../logging/log-events.ts';
import type { Settings } from '../settings/settings.ts';
import { type Counting, type LimitName, memoryCounts } from './counts.ts';

/** The limits that are set. They count in Redis if REDIS_URL is set, otherwise in this process. */
export async function openLimits(settings: Settings, log: Log): Promise<CallLimits & { close(): void }> {
  const { RATE_LIMIT, FAILED_KEY_LIMIT, REDIS_URL } = settings;
  if (!RATE_LIMIT && !FAILED_KEY_LIMIT) return { close: () => {} };
  // The client of Redis is loaded only if it is needed.
  const { counting, close } = REDIS_URL
    ? (await import('./redis-counts.ts')).redisCounts(REDIS_URL)
    : memoryCounts;
  const limiter = (name: LimitName, rate: Rate) => limiterOf(name, rate, counting(name, rate), log);
  return {
    ...(RATE_LIMIT && { keys: limiter('key', RATE_LIMIT) }),
    ...(FAILED_KEY_LIMIT && { failedKeys: limiter('failed-keys', FAILED_KEY_LIMIT) }),
    close,
  };
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
