import type { Pool } from 'pg';
import { databaseUser } from '../database/database-user.ts';
import type { Settings } from '../settings/settings.ts';
import type { Finding } from './findings.ts';
import { checkMigrations } from './migrations.ts';
import { checkRights, checkRole } from './rights.ts';
import {
  checkClock,
  checkDurability,
  checkEncoding,
  checkPool,
  checkVersion,
  checkWrites,
} from './server.ts';

/** The checks of a database that answers; `users` are those that the parts connect as. */
export async function* examineDatabase(
  [first, ...others]: readonly [Pool, ...Pool[]],
  settings: Settings,
): AsyncGenerator<Finding> {
  yield await checkVersion(first);
  yield await checkEncoding(first);
  yield await checkWrites(first);
  const migrations = await checkMigrations(first);
  yield migrations;
  for (const pool of [first, ...others]) {
    const user = await databaseUser(pool);
    yield* checkRole(user);
    // Rights on a missing schema cannot be checked.
    if (migrations.state !== 'problem') yield* await checkRights(pool, user);
  }
  // Behind a pooler, the server counts the pooler's connections.
  if (settings.DATABASE_POOLER === 'none') yield await checkPool(first, settings.POOL_SIZE);
  yield await checkDurability(first);
  yield await checkClock(first);
}
