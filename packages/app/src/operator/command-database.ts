import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { AccessOptions, ActContext, OperatorAccess } from '@campaign-mirror/adapters-cli';
import { type Call, ClearError } from '@campaign-mirror/adapters-cli/terminal';
import * as store from '@campaign-mirror/adapters-persistence/service';
import { label } from '@campaign-mirror/domain';
import type { OperatorAct } from '@campaign-mirror/domain/operator';
import { clearFault, notSetUp } from '../database/connection-advice.ts';
import { type DatabaseAccess, openDatabaseAccess } from '../database/database-access.ts';
import { awaitDatabase, madeAgain, migrateClearly } from '../database/prepare-database.ts';
import { readCommandSettings } from '../settings/read-settings.ts';
import type { Settings } from '../settings/settings.ts';

/** The operator's ports on the configured database. Ctrl-C ends long reads and writes at once. */
export const acting =
  (call: Call): OperatorAccess['acting'] =>
  (run, options = {}) =>
    actOn(call, options, ({ database, act }, context) => {
      const { orm, pool } = database;
      const { signal } = call;
      let opened: store.OpenHotPath | undefined;
      // For who asks for it only: the caches of a service, which are laid out at once, take tens of milliseconds.
      const hotPath = () => {
        opened ??= store.openHotPath(pool, { prepared: false });
        return opened;
      };
      const ports = {
        get campaigns() {
          return hotPath().campaigns;
        },
        get identity() {
          return hotPath().identity;
        },
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
      return run(ports, context);
    });

export interface OperatorSession {
  readonly database: store.Database;
  readonly act: OperatorAct;
  /** Whom a statement of this session has waited for last, if it has. */
  readonly lastHolders: () => string | undefined;
}

const applicationName = 'campaign-mirror operator';

/** The time limits of statements, in milliseconds, for commands that need longer than others. */
const paces: Readonly<Record<NonNullable<AccessOptions['pace']>, Partial<store.PoolLimits>>> = {
  /** For commands on the whole database, whose statements may take long. */
  unhurried: { statementTimeout: 0, queryTimeout: 0 },
  /** For commands in many steps: a step takes far less, but counting everything beforehand may take this long. */
  'in-steps': { statementTimeout: 60_000, queryTimeout: 65_000 },
};

/**
 * Acts as the operator on the database. The embedded one is started for it, unless a service runs it.
 * @throws ClearError when a setting is wrong, or the database is unavailable, not migrated, or rejects the login
 */
export function actOn<T>(
  call: Call,
  { pace, state, besideService }: AccessOptions,
  run: (session: OperatorSession, context: ActContext) => Promise<T>,
): Promise<T> {
  const act = (access: DatabaseAccess, settings: Settings) => {
    const runMigrated = async (session: OperatorSession) => {
      // The embedded database is migrated automatically; yours only on your command.
      if (!(await store.isMigrated(session.database.pool))) {
        if (!access.embedded) throw notSetUp(access.address('operator'));
        await migrateWithNotes(access, call);
      }
      const { act, lastHolders } = session;
      const deniedHosts = settings.MIRROR_HOST_DENYLIST;
      return run(session, { deniedHosts, requestId: act.requestId }).catch((error) => {
        const remaining = typeof state === 'function' ? state() : state;
        throw clearFault(error, access.address('operator'), 'acting', remaining, lastHolders());
      });
    };
    const limits = pace && paces[pace];
    return asOperator(access, runMigrated, personWhoCalls(call.environment), limits);
  };
  return withDatabase(call, act, besideService);
}

/** Acts with the operator's role, then closes the database. `operator`: who acts, for the audit. */
export async function asOperator<T>(
  access: DatabaseAccess,
  run: (session: OperatorSession) => Promise<T>,
  operator: string,
  limits?: Partial<store.PoolLimits>,
): Promise<T> {
  const poolLimits = { ...store.defaultPoolLimits, size: 4, ...limits };
  const database = await store.openDatabase(access.address('operator'), poolLimits, applicationName);
  const act = { operator, requestId: `operator-${randomUUID()}` };
  const watch = store.watchLockHolders(database.pool);
  return run({ database, act, lastHolders: watch.last }).finally(() => {
    watch.stop();
    return database.close();
  });
}

/**
 * Migrates, and reports what it waits for. Ctrl-C ends the wait, and the migration until it is committed.
 * @throws ClearError; Interrupted, when nothing was done
 */
async function migrateWithNotes(access: DatabaseAccess, call: Call): Promise<void> {
  const owner = access.address('owner');
  const onWait = (line: string) => call.output.note(line);
  const done = await migrateClearly(owner, onWait, { givenUp: call.signal });
  if (!done) return call.throwIfStopped('Nothing was done.');
  if (done.length > 0)
    call.output.note(`${madeAgain(done)}; \`./campaign-mirror doctor\` says what is left.`);
}

/** What the command `migrate` does. */
export const migrateAsOwner = (call: Call): Promise<void> =>
  withDatabase(call, (access) => migrateWithNotes(access, call));

/** For a command that acts on the database itself, not on its contents. @throws ClearError */
export async function withDatabase<T>(
  call: Call,
  run: (access: DatabaseAccess, settings: Settings) => Promise<T>,
  besideService = false,
): Promise<T> {
  const settings = readCommandSettings(call);
  const { signal } = call;
  const onWait = (line: string) => call.output.note(line);
  const access = await openDatabaseAccess(settings, { signal, onWait, besideService }).catch((error) => {
    call.throwIfStopped('Nothing was done.');
    return throwAway(error);
  });
  const address = access.address('operator');
  try {
    await awaitDatabase(address, settings, ['version', 'encoding'], signal).catch(throwAway);
    call.throwIfStopped('Nothing was done.');
    return await run(access, settings);
  } catch (error) {
    throw clearFault(error, address, 'acting');
  } finally {
    await access.close();
  }
}

/** The same on one connection of the operator. @throws ClearError */
export function withPool<T>(call: Call, run: (pool: store.Database['pool']) => Promise<T>): Promise<T> {
  return withDatabase(call, async (access) => {
    const limits = { ...store.defaultPoolLimits, size: 1 };
    const { pool, close } = await store.openDatabase(access.address('operator'), limits, applicationName);
    return run(pool).finally(close);
  });
}

/** To a command, a database that cannot be opened or connected to is unavailable (`away`), for whatever reason. */
function throwAway(error: unknown): never {
  throw error instanceof ClearError ? new ClearError(error.message, 'away') : error;
}

/**
 * Who calls the command: the user of the operating system, or under `sudo` the user who called `sudo`. The variable counts
 * for root only: anybody else could name another user in it.
 */
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
