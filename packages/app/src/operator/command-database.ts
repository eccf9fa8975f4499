import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { How, Terms } from '@campaign-mirror/adapters-cli';
import { type Call, ClearError } from '@campaign-mirror/adapters-cli/terminal';
import {
  type DatabaseAddress,
  defaultPoolLimits,
  type OpenPool,
  openPool,
  type PoolLimits,
  pendingMigrations,
} from '@campaign-mirror/adapters-persistence/sql';
import { label, type OperatorAct } from '@campaign-mirror/domain';
import { clearFault, notSetUp, orReadingEnded, undoneBy } from '../database/connection-advice.ts';
import { type DatabaseAccess, openDatabaseAccess } from '../database/database-access.ts';
import { awaitDatabase, migrateClearly } from '../database/prepare-database.ts';
import { type LogWriter, silentLog } from '../logging/log-events.ts';
import type { Settings } from '../settings/settings.ts';
import { readCommandSettings } from './command-settings.ts';

/** The database and the act of an operator, on which adapters are made. */
export interface Operator<Opened extends OpenPool> {
  readonly database: Opened;
  readonly act: OperatorAct;
}

/** What the action of a command works with. */
export interface Acting<Opened extends OpenPool = OpenPool> extends Operator<Opened> {
  readonly terms: Terms;
  readonly call: Call;
}

/** Opens as much as is needed: a pool, or MikroORM on one. */
type Open<Opened extends OpenPool> = (
  address: DatabaseAddress,
  limits: PoolLimits,
  applicationName: string,
) => Opened | Promise<Opened>;

const paces: Readonly<Record<NonNullable<How['pace']>, Partial<PoolLimits>>> = {
  /** For commands on the whole database, whose statements may take long. */
  unhurried: { statementTimeout: 0, queryTimeout: 0 },
  /** A step of many takes far less; counting everything beforehand may take this long. */
  'in-steps': { statementTimeout: 60_000, queryTimeout: 65_000 },
};

/**
 * Acts as the operator on the configured database, even while a service uses it. An embedded database that is stopped
 * is started for it, and stopped afterwards unless another process uses it.
 * @throws ClearError when a setting is wrong, or the database is unavailable, not migrated, or rejects the login
 */
export function actOn<T, Opened extends OpenPool>(
  call: Call,
  open: Open<Opened>,
  run: (acting: Acting<Opened>) => Promise<T>,
  { pace, left }: How = {},
): Promise<T> {
  return withDatabase(call, ({ access, settings }) => {
    const acts = async ({ database, act }: Operator<Opened>) => {
      await bringUpToDate(database, access, call);
      const terms = { deniedHosts: settings.MIRROR_HOST_DENYLIST, requestId: act.requestId, undoneBy };
      return run({ database, act, terms, call }).catch((error) => {
        // A command that only reads has no unknown outcome.
        throw left === undefined ? error : orReadingEnded(error, left);
      });
    };
    return asOperator(open, access, acts, person(call.environment), pace && paces[pace]);
  });
}

/** Runs the act as the operator's role, then closes the database. `operator`: who acts. */
export async function asOperator<T, Opened extends OpenPool>(
  open: Open<Opened>,
  access: DatabaseAccess,
  run: (operator: Operator<Opened>) => Promise<T>,
  operator: string,
  limits?: Partial<PoolLimits>,
): Promise<T> {
  const bounds = { ...defaultPoolLimits, size: 2, ...limits };
  const database = await open(access.address('operator'), bounds, 'campaign-mirror operator');
  const act = { operator, requestId: `operator-${randomUUID()}` };
  return run({ database, act }).finally(() => database.close());
}

/** The embedded database is migrated automatically; yours only on your command. */
async function bringUpToDate({ pool }: OpenPool, access: DatabaseAccess, call: Call): Promise<void> {
  const pending = pendingMigrations(pool);
  if (!access.embedded) {
    if ((await pending).length > 0) throw notSetUp(access.address('operator'));
    return;
  }
  // In earlier versions, the operator's role may have had no right to read it.
  if ((await pending.catch(() => ['unknown'])).length > 0) await migrateTelling(access, call);
}

/**
 * Migrates, and reports what it waits for. Ctrl-C ends the wait, and the migration until it is committed.
 * @throws ClearError; Interrupted, when nothing was done
 */
export async function migrateTelling(access: DatabaseAccess, { output, interruption }: Call): Promise<void> {
  const bounds = { givenUp: interruption.signal };
  const done = await migrateClearly(access.address('owner'), (line) => output.tell(line), bounds);
  if (!done) interruption.throwIfInterrupted('Nothing was done.');
}

interface Reached {
  readonly access: DatabaseAccess;
  readonly settings: Settings;
}

/** For a command that acts on the database itself, not on its contents. @throws ClearError */
export async function withDatabase<T>(call: Call, run: (reached: Reached) => Promise<T>): Promise<T> {
  const { settings } = readCommandSettings(call);
  const log = await commandLog(call);
  const { interruption } = call;
  const access = await openDatabaseAccess(settings, log).catch(away);
  const address = access.address('operator');
  try {
    await awaitDatabase(address, settings, log, interruption.signal).catch(away);
    interruption.throwIfInterrupted('Nothing was done.');
    return await run({ access, settings });
  } catch (error) {
    throw clearFault(error, address, 'acting');
  } finally {
    await access.close();
  }
}

/** The same with one connection, as `user`. @throws ClearError */
export function withPool<T>(
  call: Call,
  user: 'owner' | 'operator',
  run: (pool: OpenPool['pool'], address: DatabaseAddress) => Promise<T>,
): Promise<T> {
  return withDatabase(call, ({ access }) => {
    const address = access.address(user);
    const { pool, close } = openPool(address, { ...defaultPoolLimits, size: 1 }, 'campaign-mirror operator');
    return run(pool, address).finally(close);
  });
}

/** On standard error, and only on request. */
export async function commandLog({ verbose, stderr }: Call): Promise<LogWriter> {
  if (!verbose) return silentLog;
  const { logTo } = await import('../logging/log.ts');
  return logTo(stderr, 'debug');
}

/** A database that cannot be opened or connected to, for whatever reason, is unavailable to a command. */
function away(error: unknown): never {
  throw error instanceof ClearError ? new ClearError(error.message, 'away') : error;
}

/**
 * Who calls the command: the user of the operating system, or under `sudo` the user who called it. Only root is
 * believed about that: anybody else could name another user.
 */
function person({ SUDO_USER = '' }: NodeJS.ProcessEnv): string {
  const behind = process.getuid?.() === 0 && label(SUDO_USER);
  if (behind) return behind;
  try {
    return userInfo().username;
  } catch {
    // A user without an entry, as in containers.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
