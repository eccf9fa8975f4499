import type { Database } from '@campaign-mirror/adapters-persistence';
import type { OpenPool, PoolLimits } from '@campaign-mirror/adapters-persistence/sql';
import type { Call } from '../terminal/call.ts';
import type { Acting } from './command-database.ts';

/**
 * Acts as the operator on the database of the settings. What it takes is loaded here, so that `--help`, or a call
 * that can not be understood, is answered at once.
 * @throws ClearError when a setting is wrong, or the database away, not migrated, or refusing
 */
export async function acting<T>(
  call: Call,
  run: (acting: Acting) => Promise<T>,
  limits: Partial<PoolLimits> = {},
): Promise<T> {
  call.hear();
  const { actOn } = await import('./command-database.ts');
  const { openPool } = await import('@campaign-mirror/adapters-persistence/sql');
  return actOn(call, openPool, run, limits);
}

/** The same with MikroORM, which takes longer to load than all the rest. */
export async function actingByOrm<T>(call: Call, run: (acting: Acting<Database>) => Promise<T>): Promise<T> {
  call.hear();
  const { actOn } = await import('./command-database.ts');
  const { openDatabase } = await import('@campaign-mirror/adapters-persistence');
  return actOn(call, openDatabase, run);
}

/** `acting` for what only reads: nobody need be unsure of what was done when the database goes away. */
export function reading<T>(call: Call, run: (acting: Acting) => Promise<T>): Promise<T> {
  return acting(call, onlyReading(run));
}

export function readingByOrm<T>(call: Call, run: (acting: Acting<Database>) => Promise<T>): Promise<T> {
  return actingByOrm(call, onlyReading(run));
}

function onlyReading<T, Opened extends OpenPool>(run: (acting: Acting<Opened>) => Promise<T>) {
  return async (given: Acting<Opened>) => {
    try {
      return await run(given);
    } catch (error) {
      const { orReadingEnded } = await import('./reading-ended.ts');
      throw orReadingEnded(error, 'there is more to show, and nothing was changed');
    }
  };
}
