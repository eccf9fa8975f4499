import { type Call, ClearError, Interrupted } from '@campaign-mirror/adapters-cli/terminal';
import {
  EncodingFault,
  isDatabaseAway,
  type OpenPool,
  type PoolLimits,
  pendingMigrations,
} from '@campaign-mirror/adapters-persistence/sql';
import { Unavailable } from '@campaign-mirror/domain';
import { type DatabaseAccess, openDatabaseAccess } from '../database/database-access.ts';
import { awaitDatabase } from '../database/database-start.ts';
import { nameOf, type Place, poolerFault, reason } from '../database/start-faults.ts';
import { type LogWriter, silentLog } from '../logging/log-events.ts';
import type { Settings } from '../settings/settings.ts';
import { commandSettings } from './command-settings.ts';
import { asOperator, type Open, type Operator, person } from './operator.ts';
import { undoneBy } from './undone.ts';

/** What the action of a command works with. */
export interface Acting<Opened extends OpenPool = OpenPool> extends Operator<Opened> {
  readonly settings: Settings;
  readonly call: Call;
}

/**
 * Acts as the operator on the configured database, even while a service uses it. An embedded database that is stopped
 * is started for it, and stopped afterwards unless another process uses it.
 * @throws ClearError when a setting is wrong, or the database is unavailable, not migrated, or rejects the login
 */
export function actOn<T, Opened extends OpenPool>(
  call: Call,
  open: Open<Opened>,
  run: (acting: Acting<Opened>) => Promise<T>,
  limits?: Partial<PoolLimits>,
): Promise<T> {
  return withDatabase(call, ({ access, settings }) =>
    asOperator(
      open,
      access,
      async (operator) => {
        await bringUpToDate(operator.database, access, call);
        return run({ ...operator, settings, call });
      },
      person(call.environment),
      limits,
    ),
  );
}

/** The embedded database is migrated automatically; yours only on your command. */
async function bringUpToDate({ pool }: OpenPool, access: DatabaseAccess, call: Call): Promise<void> {
  const pending = pendingMigrations(pool);
  if (!access.embedded) {
    if ((await pending).length > 0) throw notSetUp(access.address('operator'));
    return;
  }
  // In earlier versions, the operator's role may have had no right to read it.
  if ((await pending.catch(() => ['unknown'])).length === 0) return;
  const { migrateTelling } = await import('./migrate-telling.ts');
  await migrateTelling(access.address('owner'), call);
}

/** For a command that acts on the database itself, not on its contents. @throws ClearError */
export async function withDatabase<T>(
  call: Call,
  run: (reached: { readonly access: DatabaseAccess; readonly settings: Settings }) => Promise<T>,
): Promise<T> {
  const settings = commandSettings(call);
  const log = await commandLog(call);
  const { interruption } = call;
  const access = await openDatabaseAccess(settings, log).catch(away);
  const address = access.address('operator');
  try {
    await awaitDatabase(address, settings.DATABASE_WAIT, log, interruption.signal).catch(away);
    interruption.throwIfInterrupted('Nothing was done.');
    return await run({ access, settings });
  } catch (error) {
    throw clear(error, address);
  } finally {
    await access.close();
  }
}

/** On standard error, and only on request. */
export async function commandLog({ verbose, stderr }: Call): Promise<LogWriter> {
  if (!verbose) return silentLog;
  const { logTo } = await import('../logging/log.ts');
  return logTo(stderr, 'debug');
}

function away(error: unknown): never {
  throw error instanceof ClearError ? new ClearError(error.message, 'away') : error;
}

function clear(error: unknown, address: Place): unknown {
  if (error instanceof ClearError || error instanceof Interrupted) return error;
  const fault = error instanceof Unavailable ? (error.cause ?? error) : error;
  if (fault instanceof EncodingFault) return new ClearError(fault.message);
  const pooler = poolerFault(fault, address);
  if (pooler) return pooler;
  const { code } = fault as { code?: string };
  if (code === '42P01' || code === '3F000') return notSetUp(address);
  if (code === '42501') {
    return new ClearError(
      `the user ${JSON.stringify(address.user)} of the database ${nameOf(address)} lacks a right: use the operator's, ` +
        'or run `./campaign-mirror migrate` as the owner of the schema, which gives that one its rights; `./campaign-mirror doctor` says which is missing',
    );
  }
  const database = `the database ${nameOf(address)}`;
  const undone = undoneBy(error, database);
  if (undone) {
    return new ClearError(`${undone.what}: nothing was done; ${undone.remedy ?? 'repeat it'}`, 'away');
  }
  if (error instanceof Unavailable || isDatabaseAway(error)) {
    return new ClearError(
      `${database} became unavailable (${code ? reason(fault) : 'no answer'}): it is unknown whether this was done; ` +
        'look at what there is, then repeat it',
      'away',
    );
  }
  return error;
}

function notSetUp(address: Place): ClearError {
  return new ClearError(
    `the database ${nameOf(address)} is not set up for this version: ` +
      'run `./campaign-mirror migrate` as the owner of the schema',
  );
}
