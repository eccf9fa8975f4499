import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { OperatorAccess } from '@campaign-mirror/adapters-cli';
import { type Call, ClearError, jsonOf } from '@campaign-mirror/adapters-cli/terminal';
import * as store from '@campaign-mirror/adapters-persistence/service';
import { label } from '@campaign-mirror/domain';
import type { OperatorAct } from '@campaign-mirror/domain/operator';
import * as access from '../database/database-access.ts';
import { clearFault } from '../database/database-advice.ts';
import { readCommandSettings } from '../settings/read-settings.ts';
import type { Settings } from '../settings/settings-table.ts';

/** The time limits of statements, in milliseconds, for slow commands. */
const paces = {
  unhurried: { statementTimeout: 0, queryTimeout: 0 },
  // Before the first step, a count of all rows may take this long.
  'in-steps': { statementTimeout: 60_000, queryTimeout: 65_000 },
};

/** The operator's ports. The embedded database is migrated first; your own only by the command `migrate`. */
export const withPorts =
  (call: Call): OperatorAccess['withPorts'] =>
  (run, { pace, state, besideService = false } = {}) =>
    withDatabase(call, besideService, (database, settings) => {
      const address = database.address('operator');
      const work = async (opened: store.Database, act: OperatorAct) => {
        await access.requireChecks(opened.pool, address, settings, 'command').catch((error) => {
          if (!database.embedded) throw error;
          return migrateForCommand(database, settings, call);
        });
        const context = { deniedHosts: settings.MIRROR_HOST_DENYLIST, requestId: act.requestId };
        return run(portsOn(opened, act, call.signal), context).catch((error) => {
          throw clearFault(error, address, { certain: typeof state === 'function' ? state() : state });
        });
      };
      return asOperator(database, personWhoCalls(call.environment), work, pace && paces[pace]);
    });

function portsOn(database: store.Database, act: OperatorAct, signal: AbortSignal) {
  const { orm, pool } = database;
  return {
    ...store.openHotPath(pool, { prepared: false }),
    settings: new store.PostgresSettings(orm, act),
    keys: new store.PostgresAccessKeys(orm, act),
    records: store.postgresCampaignRecords(database),
    history: store.postgresMirrorHistory(pool, signal),
    feed: store.postgresChangeFeed(pool, signal),
    pruning: store.postgresHistoryPruning(pool, act),
    mirrors: store.postgresOperatorMirrors(pool, act, signal),
    audit: store.postgresAudit(orm),
    imports: store.postgresCampaignImport(pool, act, signal),
    exports: store.postgresCampaignExport(pool, signal),
  };
}

/** Calls `run` with a pool of the operator's role, and closes the pool. `operator`: who acts, for the audit. */
export async function asOperator<T>(
  database: access.DatabaseAccess,
  operator: string,
  run: (database: store.Database, act: OperatorAct) => Promise<T>,
  limits: Partial<store.PoolLimits> = {},
): Promise<T> {
  const all = { ...store.defaultPoolLimits, size: 4, ...limits };
  const opened = await store.openDatabase(database.address('operator'), all, 'campaign-mirror operator');
  return run(opened, { operator, requestId: `operator-${randomUUID()}` }).finally(() => opened.close());
}

/** The command `migrate`. Ctrl-C stops it before the commit. @throws ClearError, also if a part is still missing */
export const migrateAsOwner = (call: Call): Promise<void> =>
  withDatabase(call, false, async (database, settings) => {
    const migrated = await migrateForCommand(database, settings, call);
    const { schema, migrations, madeAgain, rights } = migrated;
    const did = [
      schema === 'made' && 'The schema was made.',
      schema === 'newer' && 'A newer version made the schema, so nothing was done: run that version.',
      schema === 'migrated' && migrations.length > 0 && `Applied: ${migrations.join(', ')}.`,
      madeAgain.length > 0 && `Recreated: ${madeAgain.join(', ')}.`,
      schema === 'migrated' && rights && 'The roles were given their rights.',
    ].filter((line) => line !== false);
    const checkRest = () => access.awaitDatabase(database.address('owner'), settings, 'start', call.signal);
    if (did.length === 0) await checkRest();
    await call.output.answer(jsonOf(migrated), did.join(' ') || 'The schema is up to date.');
    if (did.length > 0) await checkRest();
  });

/** @throws ClearError; Interrupted, if nothing was done */
function migrateForCommand(database: access.DatabaseAccess, settings: Settings, call: Call) {
  const options = { operator: personWhoCalls(call.environment), givenUp: call.signal };
  const [owner, notices] = [database.address('owner'), access.commandNotices(call)];
  return access.migrateWithNotices(owner, settings, notices, options).catch((error) => {
    if (error === call.signal.reason) call.throwIfStopped('Nothing was done.');
    throw error;
  });
}

/** @throws ClearError, of the kind `unavailable` if the database cannot be opened or connected to */
async function withDatabase<T>(
  call: Call,
  besideService: boolean,
  run: (database: access.DatabaseAccess, settings: Settings) => Promise<T>,
): Promise<T> {
  const settings = readCommandSettings(call);
  const { signal } = call;
  const throwAway = (error: unknown): never => {
    call.throwIfStopped('Nothing was done.');
    throw error instanceof ClearError ? new ClearError(error.message, 'unavailable') : error;
  };
  const options = { signal, log: access.commandNotices(call), besideService };
  const database = await access.openDatabaseAccess(settings, options).catch(throwAway);
  const address = database.address('operator');
  try {
    await access.awaitDatabase(address, settings, 'first', signal).catch(throwAway);
    call.throwIfStopped('Nothing was done.');
    return await run(database, settings);
  } catch (error) {
    throw clearFault(error, address);
  } finally {
    await database.close();
  }
}

/** The user of the OS, or who called `sudo`. SUDO_USER counts for root only: other users could set it to any name. */
function personWhoCalls({ SUDO_USER = '' }: NodeJS.ProcessEnv): string {
  const sudoUser = process.getuid?.() === 0 && label(SUDO_USER);
  if (sudoUser) return sudoUser;
  try {
    return userInfo().username;
  } catch {
    // In a container, the user may have no entry in /etc/passwd.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
