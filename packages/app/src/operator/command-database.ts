import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { OperatorAccess } from '@campaign-mirror/adapters-cli';
import { type Call, ClearError, jsonOf } from '@campaign-mirror/adapters-cli/terminal';
import * as store from '@campaign-mirror/adapters-persistence/service';
import { label } from '@campaign-mirror/domain';
import type { OperatorAct } from '@campaign-mirror/domain/operator';
import * as own from '../database/database-access.ts';
import { clearFault } from '../database/faults.ts';
import { readCommandSettings } from '../settings/read-settings.ts';
import type { Settings } from '../settings/settings.ts';

/** The time limits of statements, in milliseconds, for commands that need longer than others. */
const paces = {
  unhurried: { statementTimeout: 0, queryTimeout: 0 },
  // A step takes far less, but counting everything beforehand may take this long.
  'in-steps': { statementTimeout: 60_000, queryTimeout: 65_000 },
};

/** The operator's ports. The embedded database is migrated for them, yours only on your command. */
export const withPorts =
  (call: Call): OperatorAccess['withPorts'] =>
  (run, { pace, state, besideService = false } = {}) =>
    withDatabase(call, besideService, (access, settings) => {
      const address = access.address('operator');
      const work = async (database: store.Database, act: OperatorAct) => {
        await own.makeChecks(database.pool, address, settings, 'command').catch((error) => {
          if (!access.embedded) throw error;
          return migrateWithNotes(access, settings, call);
        });
        const context = { deniedHosts: settings.MIRROR_HOST_DENYLIST, requestId: act.requestId };
        return run(portsOn(database, act, call.signal), context).catch((error) => {
          throw clearFault(error, address, { certain: typeof state === 'function' ? state() : state });
        });
      };
      return asOperator(access, personWhoCalls(call.environment), work, pace && paces[pace]);
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

/** Acts with the operator's role, then closes the database. `operator`: who acts, for the audit. */
export async function asOperator<T>(
  access: own.DatabaseAccess,
  operator: string,
  run: (database: store.Database, act: OperatorAct) => Promise<T>,
  limits: Partial<store.PoolLimits> = {},
): Promise<T> {
  const poolLimits = { ...store.defaultPoolLimits, size: 4, ...limits };
  const address = access.address('operator');
  const database = await store.openDatabase(address, poolLimits, 'campaign-mirror operator');
  return run(database, { operator, requestId: `operator-${randomUUID()}` }).finally(() => database.close());
}

/**
 * The command `migrate`: it says what it waits for and what it did; Ctrl-C ends it until it is committed.
 * @throws ClearError, also of what it cannot make again
 */
export const migrateAsOwner = (call: Call): Promise<void> =>
  withDatabase(call, false, async (access, settings) => {
    const migrated = await migrateWithNotes(access, settings, call);
    const { schema, migrations, madeAgain, rights } = migrated;
    const did = [
      schema === 'made' && 'The schema was made.',
      schema === 'newer' && 'A newer version made the schema, so nothing was done: run that version.',
      schema === 'migrated' && migrations.length > 0 && `Applied: ${migrations.join(', ')}.`,
      madeAgain.length > 0 && `Made again: ${madeAgain.join(', ')}.`,
      schema === 'migrated' && rights && 'The roles were given their rights.',
    ].filter((line) => line !== false);
    const checkRest = () => own.awaitDatabase(access.address('owner'), settings, 'start', call.signal);
    if (did.length === 0) await checkRest();
    await call.output.answer(jsonOf(migrated), did.join(' ') || 'The schema is up to date.');
    if (did.length > 0) await checkRest();
  });

/** @throws ClearError; Interrupted, when nothing was done */
function migrateWithNotes(access: own.DatabaseAccess, settings: Settings, call: Call) {
  const options = { operator: personWhoCalls(call.environment), givenUp: call.signal };
  return own.migrateClearly(access.address('owner'), settings, own.notesOf(call), options).catch((error) => {
    if (error === call.signal.reason) call.throwIfStopped('Nothing was done.');
    throw error;
  });
}

/** @throws ClearError, of the kind `unavailable` when the database cannot be opened or connected to, for whatever reason */
async function withDatabase<T>(
  call: Call,
  besideService: boolean,
  run: (access: own.DatabaseAccess, settings: Settings) => Promise<T>,
): Promise<T> {
  const settings = readCommandSettings(call);
  const { signal } = call;
  const throwAway = (error: unknown): never => {
    call.throwIfStopped('Nothing was done.');
    throw error instanceof ClearError ? new ClearError(error.message, 'unavailable') : error;
  };
  const options = { signal, log: own.notesOf(call), besideService };
  const access = await own.openDatabaseAccess(settings, options).catch(throwAway);
  const address = access.address('operator');
  try {
    await own.awaitDatabase(address, settings, 'first', signal).catch(throwAway);
    call.throwIfStopped('Nothing was done.');
    return await run(access, settings);
  } catch (error) {
    throw clearFault(error, address);
  } finally {
    await access.close();
  }
}

/** The user of the OS, or who called `sudo`; that variable counts for root only, as others could name anybody in it. */
function personWhoCalls({ SUDO_USER = '' }: NodeJS.ProcessEnv): string {
  const sudoUser = process.getuid?.() === 0 && label(SUDO_USER);
  if (sudoUser) return sudoUser;
  try {
    return userInfo().username;
  } catch {
    // The user has no entry in /etc/passwd, as in containers.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
