import { Unavailable } from '@campaign-mirror/domain';
import { ClearError } from './clear-error.ts';
import { type DatabaseAccess, openDatabaseAccess } from './database-access.ts';
import { awaitDatabase, migrateClearly } from './database-start.ts';
import { type Log, openLog } from './log.ts';
import { asOperator, type Operator } from './operator.ts';
import { readSettings, type Settings } from './settings.ts';
import { nameOf, startFault } from './start-faults.ts';

/**
 * Acts as the operator on the database of the settings, also while a service runs on it. An embedded database that
 * is down is brought up for it, and stopped afterwards unless somebody else has come to use it.
 * @throws ClearError when a setting is wrong, or the database away, not migrated, or refusing
 */
export function actOn<T>(act: (operator: Operator, settings: Settings) => Promise<T>): Promise<T> {
  return withDatabase(async (access, settings, log) => {
    if (access.embedded) await migrateClearly(access.address('owner'), log);
    return asOperator(access, (operator) => act(operator, settings));
  });
}

/** Brings the schema up to date. @throws ClearError */
export function migrateOnly(): Promise<void> {
  return withDatabase((access, _, log) => migrateClearly(access.address('owner'), log));
}

async function withDatabase<T>(
  act: (access: DatabaseAccess, settings: Settings, log: Log) => Promise<T>,
): Promise<T> {
  const read = readSettings(process.env);
  if ('wrong' in read) throw new ClearError(read.wrong.join('\n'));
  const log: Log = openLog('silent').log;
  const access = await openDatabaseAccess(read.settings, log);
  const address = access.address('operator');
  try {
    await awaitDatabase(address, read.settings.DATABASE_WAIT, log);
    return await act(access, read.settings, log);
  } catch (error) {
    throw clear(error, address);
  } finally {
    await access.close();
  }
}

function clear(error: unknown, address: Parameters<typeof nameOf>[0]): unknown {
  if (error instanceof ClearError) return error;
  const fault = error instanceof Unavailable ? error.cause : error;
  const { code } = fault as { code?: string };
  const database = `the database ${nameOf(address)}`;
  if (code === '42P01' || code === '3F000') {
    return new ClearError(
      `${database} is not set up: run \`./campaign-mirror migrate\` as the owner of the schema`,
    );
  }
  if (code === '42501') {
    return new ClearError(
      `the user ${JSON.stringify(address.user)} of ${database} lacks a right: use the operator's`,
    );
  }
  return startFault(fault, address) ?? error;
}
