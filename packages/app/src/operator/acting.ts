import type { How, Operator } from '@campaign-mirror/adapters-cli';
import type { Call } from '@campaign-mirror/adapters-cli/terminal';
import type { Database } from '@campaign-mirror/adapters-persistence';
import type { Acting } from './command-database.ts';

// This module is loaded by every command; those of the database are loaded in its functions, so that `--help` and usage
// errors are answered at once.

/**
 * Acts as the operator on the configured database.
 * @throws ClearError when a setting is wrong, or the database is unavailable, not migrated, or rejects the login
 */
export async function acting<T>(call: Call, run: (acting: Acting) => Promise<T>, how?: How): Promise<T> {
  call.hear();
  const { actOn } = await import('./command-database.ts');
  const { openPool } = await import('@campaign-mirror/adapters-persistence/sql');
  return actOn(call, openPool, run, how);
}

/** The same with MikroORM, which takes longer to load than all the rest. */
export async function actingByOrm<T>(
  call: Call,
  run: (acting: Acting<Database>) => Promise<T>,
  how?: How,
): Promise<T> {
  call.hear();
  const { actOn } = await import('./command-database.ts');
  const { openDatabase } = await import('@campaign-mirror/adapters-persistence');
  return actOn(call, openDatabase, run, how);
}

/** The ports of a call's commands, on the configured database. */
export function operatorOf(call: Call): Operator {
  return {
    acting: async (run, how) =>
      acting(
        call,
        async ({ database, act, terms }) => {
          const { operatorPorts } = await import('./operator-ports.ts');
          const ports = operatorPorts(database, act, call.interruption.signal);
          return await run(ports, terms).finally(() => ports.uses.stop());
        },
        how,
      ),
    administering: async (run, how) =>
      actingByOrm(
        call,
        async ({ database, act, terms }) => {
          const { administrationPorts } = await import('./operator-ports.ts');
          return run(await administrationPorts(database, act, call.interruption.signal), terms);
        },
        how,
      ),
    accessKey: async () => {
      const { readCommandSettings } = await import('./command-settings.ts');
      return readCommandSettings(call).settings.CAMPAIGN_MIRROR_KEY;
    },
  };
}
