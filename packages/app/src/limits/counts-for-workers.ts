import type { Settings } from '../settings/settings.ts';
import type { Counts, LimitName } from './counts.ts';

/** Counts one more for each of these; returns, in order, how often and for how many more milliseconds. */
export type CountForWorkers = (
  limit: LimitName,
  who: readonly string[],
) => Promise<(readonly [consumed: number, resetIn: number])[]>;

/** The counts that a primary keeps for its workers; none where they count in Redis, or nothing is limited. */
export async function countsForWorkers(
  settings: Pick<Settings, 'RATE_LIMIT' | 'FAILED_KEY_LIMIT' | 'REDIS_URL'>,
): Promise<CountForWorkers | undefined> {
  const { RATE_LIMIT, FAILED_KEY_LIMIT, REDIS_URL } = settings;
  if (REDIS_URL || !(RATE_LIMIT || FAILED_KEY_LIMIT)) return undefined;
  const { memoryCounts } = await import('./memory-counts.ts');
  const kept: { readonly [Name in LimitName]: Counts | undefined } = {
    key: RATE_LIMIT && memoryCounts(RATE_LIMIT),
    'failed-keys': FAILED_KEY_LIMIT && memoryCounts(FAILED_KEY_LIMIT),
  };
  return async (limit, who) => {
    const counts = kept[limit];
    if (!counts) return [];
    const counted = await Promise.all(who.map((one) => counts.count(one)));
    return counted.map(({ consumed, resetIn }) => [consumed, resetIn] as const);
  };
}
