import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Call, ClearError } from '@campaign-mirror/adapters-cli/terminal';
import {
  defaultPoolLimits,
  isDatabaseAway,
  type OpenPool,
  openPool,
} from '@campaign-mirror/adapters-persistence/sql';
import { Unavailable } from '@campaign-mirror/domain';
import { dataFolder } from '../database/data-folder.ts';
import { type DatabaseAccess, openDatabaseAccess } from '../database/database-access.ts';
import { awaitDatabase } from '../database/database-start.ts';
import { nameOf } from '../database/start-faults.ts';
import { commandLog } from '../operator/command-database.ts';
import type { Settings } from '../settings/settings.ts';
import { isYours } from '../settings/your-database.ts';
import { examineDatabase } from './database.ts';
import { checkDisk } from './disk.ts';
import { type Finding, ok, problem } from './findings.ts';
import { checkSettings } from './settings.ts';

/**
 * How long to wait for a database that does not answer, in milliseconds: short, since somebody waits for the result.
 */
const timeout = 2_000;

/** Runs the checks for these settings, one after the other; what is unavailable does not stop the remaining checks. */
export async function* examine(call: Call): AsyncGenerator<Finding> {
  const { findings, settings } = checkSettings(call.environment);
  yield* findings;
  if (!settings) return;
  if (settings.REDIS_URL) {
    const { checkRedis } = await import('./redis.ts');
    yield await checkRedis(settings.REDIS_URL);
  }
  if (settings.IDENTITY !== 'keys') {
    const { checkIssuer } = await import('./issuer.ts');
    yield await checkIssuer(settings);
  }
  if (!isYours(settings)) {
    const { folder } = await dataFolder(settings);
    yield await checkDisk(folder);
    if (!(await stat(join(folder, 'cluster')).catch(() => undefined))) {
      yield ok('database', `there is no embedded database in ${folder} yet: the first start makes it`);
      return;
    }
  }
  let access: DatabaseAccess | undefined;
  const opened: OpenPool[] = [];
  try {
    const log = await commandLog(call);
    access = await openDatabaseAccess(settings, log);
    const address = access.address('operator');
    await awaitDatabase(address, Math.min(settings.DATABASE_WAIT, timeout), log);
    yield ok('database', `${nameOf(address)} answers`);
    yield* examineDatabase(await pools(access, settings, opened), settings);
  } catch (error) {
    yield away(error);
  } finally {
    for (const database of opened) await database.close();
    await access?.close();
  }
}

/** One per database user; with your own database, all parts connect as the same one. */
async function pools(
  access: DatabaseAccess,
  { POOL_WAIT_TIMEOUT: waitTimeout }: Settings,
  opened: OpenPool[],
): Promise<[OpenPool['pool'], ...OpenPool['pool'][]]> {
  const limits = { ...defaultPoolLimits, size: 1, waitTimeout };
  const open = async (user: 'operator' | 'service') => {
    const database = openPool(access.address(user), limits, 'campaign-mirror operator');
    opened.push(database);
    return database.pool;
  };
  const first = await open('operator');
  return access.embedded ? [first, await open('service')] : [first];
}

/** @throws what is no fault of the database */
function away(error: unknown): Finding {
  const fault = error instanceof Unavailable ? (error.cause ?? error) : error;
  if (!(error instanceof ClearError) && !isDatabaseAway(fault)) throw error;
  const said =
    error instanceof ClearError ? error.message : `it became unavailable (${(fault as Error).message})`;
  return { ...problem('database', said, 'then run `./campaign-mirror doctor` again'), away: true };
}
