import type { PoolLimits } from '@campaign-mirror/adapters-persistence';
import type { Acting } from './command-database.ts';
import { Interruption } from './interruption.ts';

/**
 * Acts as the operator on the database of the settings. What it takes is loaded here, so that `--help`, or a call
 * that can not be understood, is answered at once.
 * @throws ClearError when a setting is wrong, or the database away, not migrated, or refusing
 */
export async function acting<T>(
  run: (acting: Acting) => Promise<T>,
  limits: Partial<PoolLimits> = {},
  interruption = new Interruption(),
): Promise<T> {
  const { actOn } = await import('./command-database.ts');
  return actOn(interruption, run, limits);
}
