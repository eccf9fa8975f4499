import { join } from 'node:path';
import { type Call, ClearError } from '@campaign-mirror/adapters-cli/terminal';
import { defaultPoolLimits, openPool } from '@campaign-mirror/adapters-persistence/sql';
import { checks, ok, problem, type Result } from '../database/checks.ts';
import { clearFault, nameOf } from '../database/connection-advice.ts';
import { type DatabaseAccess, dataFolder, openDatabaseAccess } from '../database/database-access.ts';
import { awaitDatabase } from '../database/prepare-database.ts';
import { commandLog } from '../operator/command-database.ts';
import type { Settings } from '../settings/settings.ts';
import { isYours } from '../settings/your-database.ts';
import { checkSettings, exists, surroundings } from './surroundings.ts';

/** What a check of this name has found. */
export interface Finding extends Result {
  readonly check: string;
  /** The database is unavailable. */
  readonly away?: true;
}

/**
 * How long to wait for a database that does not answer, in milliseconds: short, since somebody waits for the result.
 */
const timeout = 2_000;

/** Runs the checks for these settings, one after the other; what is unavailable does not stop the remaining checks. */
export async function* examine(call: Call): AsyncGenerator<Finding> {
  const { results, settings } = checkSettings(call.environment);
  yield* named('settings', results);
  if (!settings) return;
  for (const { name, ask } of surroundings) yield* named(name, await ask(settings));
  if (!isYours(settings)) {
    const { folder } = await dataFolder(settings);
    if (!(await exists(join(folder, 'cluster')))) {
      yield* named(
        'database',
        ok(`there is no embedded database in ${folder} yet: the first start makes it`),
      );
      return;
    }
  }
  let access: DatabaseAccess | undefined;
  try {
    const log = await commandLog(call);
    access = await openDatabaseAccess(settings, log);
    const address = access.address('operator');
    const DATABASE_WAIT = Math.min(settings.DATABASE_WAIT, timeout);
    await awaitDatabase(address, { ...settings, DATABASE_WAIT }, log);
    yield* named('database', ok(`${nameOf(address)} answers`));
    yield* examineDatabase(access, settings);
  } catch (error) {
    const fault = access ? clearFault(error, access.address('operator'), 'connecting') : error;
    if (!(fault instanceof ClearError)) throw fault;
    const result = problem(fault.message, 'then run `./campaign-mirror doctor` again');
    yield { check: 'database', ...result, away: true };
  } finally {
    await access?.close();
  }
}

/** The checks of a database that answers. With your own, all parts connect as the same user. */
async function* examineDatabase(access: DatabaseAccess, settings: Settings): AsyncGenerator<Finding> {
  const limits = { ...defaultPoolLimits, size: 1 };
  const users = access.embedded ? (['operator', 'service'] as const) : (['operator'] as const);
  const opened = users.map((user) => openPool(access.address(user), limits, 'campaign-mirror operator'));
  try {
    for (const { name, ofUser, ask } of checks) {
      for (const { pool } of ofUser ? opened : opened.slice(0, 1))
        yield* named(name, await ask(pool, settings));
    }
  } finally {
    for (const { close } of opened) await close();
  }
}

function named(check: string, found: Result | readonly Result[]): Finding[] {
  return [found].flat().map((result) => ({ check, ...result }));
}
