import { oldestServerVersion, serverVersion } from '@campaign-mirror/adapters-persistence/sql';
import type { Pool } from 'pg';
import type { Settings } from '../settings/settings.ts';
import { checkClock } from './clock.ts';
import { checkDurability } from './durability.ts';
import { checkEncoding } from './encoding.ts';
import { type Finding, ok, problem, warning } from './findings.ts';
import { checkMigrations } from './migrations.ts';
import { checkPool } from './pool.ts';
import { checkRights } from './rights.ts';
import { checkRole } from './role.ts';
import { checkWrites } from './writes.ts';

/** The newest version that the tests run on. */
const newestTried = 18;

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
    const { findings, user } = await checkRole(pool);
    yield* findings;
    // Rights on a missing schema cannot be checked.
    if (migrations.state !== 'problem') yield* await checkRights(pool, user);
  }
  // Behind a pooler, the server counts the pooler's connections.
  if (settings.DATABASE_POOLER === 'none') yield await checkPool(first, settings.POOL_SIZE);
  yield await checkDurability(first);
  yield await checkClock(first);
}

async function checkVersion(pool: Pool): Promise<Finding> {
  const version = await serverVersion(pool);
  const says = `the server is PostgreSQL ${version}`;
  if (version < oldestServerVersion) return problem('version', says, `use ${oldestServerVersion} or newer`);
  if (version > newestTried) {
    return warning('version', says, `this version was tested on ${oldestServerVersion} to ${newestTried}`);
  }
  return ok('version', says);
}
