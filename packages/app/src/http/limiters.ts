import type { CallLimits, Limiter, Rate } from '@campaign-mirror/adapters-http';
import type { Log } from '../logging/log.ts';
import { throttled } from '../logging/log-events.ts';
import type { Settings } from '../settings/settings.ts';
import type { Counting, Counts, LimitName } from './counts.ts';

/** While the store is unavailable, each request would repeat the line; milliseconds. */
const betweenLines = 1_000;

/** The limits that are set. They count in Redis where it is set, else in this process. */
export async function openLimits(settings: Settings, log: Log): Promise<CallLimits & { close(): void }> {
  const { RATE_LIMIT, FAILED_KEY_LIMIT } = settings;
  if (!RATE_LIMIT && !FAILED_KEY_LIMIT) return { close: () => {} };
  const { counting, close } = await openCounts(settings);
  const limiter = (name: LimitName, rate: Rate) => passing(name, rate, counting(name, rate), log);
  return {
    ...(RATE_LIMIT && { keys: limiter('key', RATE_LIMIT) }),
    ...(FAILED_KEY_LIMIT && { failedKeys: limiter('failed-keys', FAILED_KEY_LIMIT) }),
    close,
  };
}

/** What is not needed is not loaded. */
async function openCounts({ REDIS_URL }: Settings): Promise<Counts> {
  if (REDIS_URL) return (await import('./redis-counts.ts')).redisCounts(REDIS_URL);
  const { memoryCounting } = await import('./counts.ts');
  return { counting: (_, rate) => memoryCounting(rate), close: () => {} };
}

/** Where counting fails, the request passes: a limit is worth less than a change of a live mirror. */
export function passing(limit: LimitName, rate: Rate, counting: Counting, log: Log): Limiter {
  const throttle = throttled(betweenLines);
  const count = (who: string) =>
    counting(who).catch((error) => {
      throttle((suppressed) =>
        log.warn(
          { event: 'uncounted', limit, suppressed, err: error },
          'a request could not be counted, and was let through',
        ),
      );
      return undefined;
    });
  return { rate, count };
}
