import type { Limiter, Rate } from '@campaign-mirror/adapters-http';
import type { Settings } from '../settings/settings.ts';
import { countingLimiter, type LimitObserver, type WhenAway } from './counting-limiter.ts';
import type { CountsOf, LimitName, Store } from './counts.ts';

/** The limits that are set. */
export interface Limits {
  readonly keys?: Limiter;
  readonly failedKeys?: Limiter;
  close(): void;
}

/**
 * The limits that are set. They count in Redis where it is set, else in `shared`, else in the memory of this process;
 * modules that are not needed are not loaded.
 */
export async function openLimits(
  settings: Settings,
  observer: LimitObserver,
  shared?: CountsOf,
): Promise<Limits> {
  const { RATE_LIMIT, FAILED_KEY_LIMIT, RATE_LIMIT_WHEN_AWAY } = settings;
  if (!RATE_LIMIT && !FAILED_KEY_LIMIT) return { close: () => {} };
  const { countsOf, close } = await openStore(settings, shared);
  const limiter = (name: LimitName, rate: Rate, whenAway: WhenAway) =>
    countingLimiter(name, rate, countsOf(name, rate), whenAway, observer);
  return {
    ...(RATE_LIMIT && { keys: limiter('key', RATE_LIMIT, RATE_LIMIT_WHEN_AWAY) }),
    // Where counting fails, a wrong key still gets its 401.
    ...(FAILED_KEY_LIMIT && { failedKeys: limiter('failed-keys', FAILED_KEY_LIMIT, 'open') }),
    close,
  };
}

async function openStore({ REDIS_URL }: Settings, shared: CountsOf | undefined): Promise<Store> {
  if (REDIS_URL) {
    const { redisStore } = await import('./redis-store.ts');
    return redisStore(REDIS_URL);
  }
  if (shared) return { countsOf: shared, close: () => {} };
  const { memoryCounts } = await import('./memory-counts.ts');
  return { countsOf: (_, rate) => memoryCounts(rate), close: () => {} };
}
