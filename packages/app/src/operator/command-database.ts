import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { AccessOptions, ActContext } from '@campaign-mirror/adapters-cli';
import { type Call, ClearError } from '@campaign-mirror/adapters-cli/terminal';
import {
  type DatabaseAddress,
  defaultPoolLimits,
  isMigrated,
  type OpenPool,
  openPool,
  type PoolLimits,
} from '@campaign-mirror/adapters-persistence/sql';
import { label, type OperatorAct } from '@campaign-mirror/domain';
import { clearFault, notSetUp, undoneBy } from '../database/connection-advice.ts';
import { type DatabaseAccess, openDatabaseAccess } from '../database/database-access.ts';
import { awaitDatabase, migrateClearly } from '../database/prepare-database.ts';
import { type LogWriter, silentLogWriter } from '../logging/log-events.ts';
import type { Settings } from '../settings/settings.ts';
import { readCommandSettings } from './command-settings.ts';

/** The database and the act of an operator, on which adapters are made. */
export interface OperatorSession<Opened extends OpenPool = OpenPool> {
  readonly database: Opened;
  readonly act: OperatorAct;
}

/** Opens as much as is needed: a pool, or MikroORM on one. */
type Open<Opened> = (...given: Required<Parameters<typeof openPool>>) => Opened | Promise<Opened>;

const applicationName = 'campaign-mirror operator';

const paces: Readonly<Record<NonNullable<AccessOptions['pace']>, Partial<PoolLimits>>> = {
  /** For commands on the whole database, whose statements may take long. */
  unhurried: { statementTimeout: 0, queryTimeout: 0 },
  /** A step of many takes far less; counting everything beforehand may take this long. */
  'in-steps': { statementTimeout: 60_000, queryTimeout: 65_000 },
};

/**
 * Acts as the operator on the configured database, even while a service uses it. Without a service, the embedded
 * database is started for it, and stopped afterwards.
 * @throws ClearError when a setting is wrong, or the database is unavailable, not migrated, or rejects the login
 */
export function actOn<T, Opened extends OpenPool>(
  call: Call,
  open: Open<Opened>,
  { pace, state, role = 'operator' }: AccessOptions & { role?: 'owner' | 'operator' },
  run: (operator: OperatorSession<Opened>, context: ActContext) => Promise<T>,
): Promise<T> {
  return withDatabase(call, (access, settings) => {
    const acts = async (operator: OperatorSession<Opened>) => {
      // The embedded database is migrated automatically; yours only on your command. In earlier versions, the
      // operator's role may have had no right to read what is pending.
      const migrated = await isMigrated(operator.database.pool).catch((error) => {
        if (!access.embedded) throw error;
      });
      if (!migrated) {
        if (!access.embedded) throw notSetUp(access.address(role));
        await migrateTelling(access, call);
      }
      const { MIRROR_HOST_DENYLIST: deniedHosts } = settings;
      return run(operator, { deniedHosts, requestId: operator.act.requestId, undoneBy }).catch((error) => {
        throw clearFault(error, access.address(role), 'acting', state);
      });
    };
    const bounds = pace && paces[pace];
    return asOperator(open, access, acts, person(call.environment), bounds, role);
  });
}

/** Runs the act as the operator's role, or the owner's, then closes the database. `operator`: who acts. */
export async function asOperator<T, Opened extends OpenPool>(
  open: Open<Opened>,
  access: DatabaseAccess,
  run: (operator: OperatorSession<Opened>) => Promise<T>,
  operator: string,
  limits?: Partial<PoolLimits>,
  role: 'owner' | 'operator' = 'operator',
): Promise<T> {
  const bounds = { ...defaultPoolLimits, size: 4, ...limits };
  const database = await open(access.address(role), bounds, applicationName);
  const act = { operator, requestId: `operator-${randomUUID()}` };
  return run({ database, act }).finally(() => database.close());
}

/**
 * Migrates, and reports what it waits for. Ctrl-C ends the wait, and the migration until it is committed.
 * @throws ClearError; Interrupted, when nothing was done
 */
export async function migrateTelling(access: DatabaseAccess, { output, interruption }: Call): Promise<void> {
  const bounds = { givenUp: interruption.signal };
  const done = await migrateClearly(access.address('owner'), (line) => output.note(line), bounds);
  if (!done) interruption.throwIfInterrupted('Nothing was done.');
}

/** For a command that acts on the database itself, not on its contents. @throws ClearError */
export async function withDatabase<T>(
  call: Call,
  run: (access: DatabaseAccess, settings: Settings) => Promise<T>,
): Promise<T> {
  const { settings } = readCommandSettings(call);
  const { interruption } = call;
  const log = await commandLog(call);
  const { signal } = interruption;
  const use = { signal, onWait: (line: string) => call.output.note(line) };
  const access = await openDatabaseAccess(settings, log, use).catch((error) => {
    interruption.throwIfInterrupted('Nothing was done.');
    return away(error);
  });
  const address = access.address('operator');
  try {
    await awaitDatabase(address, settings, log, signal).catch(away);
    interruption.throwIfInterrupted('Nothing was done.');
    return await run(access, settings);
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
  return withDatabase(call, (access) => {
    const address = access.address(user);
    const { pool, close } = openPool(address, { ...defaultPoolLimits, size: 1 }, applicationName);
    return run(pool, address).finally(close);
  });
}

/** On standard error, and only on request. */
export async function commandLog({ verbose, stderr }: Call): Promise<LogWriter> {
  if (!verbose) return silentLogWriter;
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
