import type { How } from '@campaign-mirror/adapters-cli';
import type { Call } from '@campaign-mirror/adapters-cli/terminal';
import type { Database } from '@campaign-mirror/adapters-persistence';
import type { PoolLimits } from '@campaign-mirror/adapters-persistence/sql';
import type { Acting } from './command-database.ts';

const limits: Readonly<Record<NonNullable<How['pace']>, Partial<PoolLimits>>> = {
  /** For commands on the whole database, whose statements may take long. */
  unhurried: { statementTimeout: 0, queryTimeout: 0 },
  /** A step of many takes far less; counting everything beforehand may take this long. */
  'in-steps': { statementTimeout: 60_000, queryTimeout: 65_000 },
};

/**
 * Acts as the operator on the configured database. Its modules are loaded here, so that `--help` and usage errors are
 * answered at once.
 * @throws ClearError when a setting is wrong, or the database is unavailable, not migrated, or rejects the login
 */
export async function acting<T>(
  call: Call,
  run: (acting: Acting) => Promise<T>,
  pace?: How['pace'],
): Promise<T> {
  call.hear();
  const { actOn } = await import('./command-database.ts');
  const { openPool } = await import('@campaign-mirror/adapters-persistence/sql');
  return actOn(call, openPool, run, pace && limits[pace]);
}

/** The same with MikroORM, which takes longer to load than all the rest. */
export async function actingByOrm<T>(
  call: Call,
  run: (acting: Acting<Database>) => Promise<T>,
  pace?: How['pace'],
): Promise<T> {
  call.hear();
  const { actOn } = await import('./command-database.ts');
  const { openDatabase } = await import('@campaign-mirror/adapters-persistence');
  return actOn(call, openDatabase, run, pace && limits[pace]);
}
