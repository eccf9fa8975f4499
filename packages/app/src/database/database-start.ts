import { setTimeout as pause } from 'node:timers/promises';
import type { Migrating } from '@campaign-mirror/adapters-persistence';
import {
  type DatabaseAddress,
  missingRightsSql,
  oldestServerVersion,
  serverVersion,
} from '@campaign-mirror/adapters-persistence/sql';
import pg from 'pg';
import type { LogWriter } from '../logging/log-events.ts';
import {
  mayComeBack,
  migrationFault,
  missingRights,
  nameOf,
  notMigrated,
  startFault,
  tooOld,
} from './start-faults.ts';

/** Between two attempts to reach a database, in milliseconds. */
const betweenTries = 250;

/** For a connection, and for each query, in milliseconds: a signal to stop takes effect between two attempts. */
const timeout = 2_000;

/** Queries the database on a connection of its own. @throws what the driver throws */
export async function briefly<Answer>(
  address: DatabaseAddress,
  ask: (client: pg.ClientBase) => Promise<Answer>,
): Promise<Answer> {
  const client = new pg.Client({
    ...address,
    application_name: 'campaign-mirror start',
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
  });
  // The next query reports why an idle connection ended.
  client.on('error', () => {});
  try {
    await client.connect();
    return await ask(client);
  } finally {
    // Not awaited: a server that stalls now has already answered.
    client.end().catch(() => {});
  }
}

/**
 * Waits until the database answers, at most `wait` milliseconds or until `givenUp`, and checks its version. Returns its
 * encoding, or undefined when canceled.
 * @throws ClearError when it does not answer, rejects the login, or is too old
 */
export async function awaitDatabase(
  address: DatabaseAddress,
  wait: number,
  log: LogWriter,
  givenUp?: AbortSignal,
): Promise<string | undefined> {
  const until = performance.now() + wait;
  for (let tries = 1; !givenUp?.aborted; tries++) {
    try {
      const { version, encoding } = await briefly(address, async (client) => {
        const version = await serverVersion(client);
        const [server] = (await client.query('show server_encoding')).rows;
        return { version, encoding: server.server_encoding };
      });
      if (version < oldestServerVersion) throw tooOld(version, address);
      return encoding;
    } catch (error) {
      if (!mayComeBack(error) || performance.now() >= until) throw startFault(error, address) ?? error;
      if (tries === 1) log.warn({ event: 'database-awaited' }, `waiting for the database ${nameOf(address)}`);
    }
    await pause(Math.min(betweenTries, Math.max(0, until - performance.now())));
  }
  return undefined;
}

/** Called with what a migration waits for: an event name for programs, a line for people. */
type Waits = (event: 'migration-awaited' | 'migration-held', line: string) => void;

/**
 * False when `givenUp`: then nothing was done.
 * @throws ClearError when the role may not migrate, or another transaction holds a lock that is needed
 */
export async function migrateClearly(
  address: DatabaseAddress,
  waits: Waits,
  bounds: Pick<Migrating, 'givenUp' | 'retries' | 'commitWait'>,
): Promise<boolean> {
  const { migrate } = await import('@campaign-mirror/adapters-persistence');
  try {
    await migrate(address, {
      ...bounds,
      onWait: () => waits('migration-awaited', 'waiting for another process that migrates'),
      onHeld: (next, tries) =>
        waits(
          'migration-held',
          `another transaction holds what the migration has to change: trying again (${next} of ${tries})`,
        ),
    });
    return true;
  } catch (error) {
    const { givenUp } = bounds;
    if (givenUp?.aborted && error === givenUp.reason) return false;
    throw migrationFault(error, address) ?? error;
  }
}

/** @throws ClearError when the schema is missing, or the service's role lacks a right */
export async function checkRights(pool: pg.Pool, address: DatabaseAddress): Promise<void> {
  let missing: string[];
  try {
    const { rows } = await pool.query<{ right_needed: string }>(missingRightsSql);
    missing = rows.map((row) => row.right_needed);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === '3F000' || code === '42P01' || code === '42703') throw notMigrated(address);
    throw startFault(error, address) ?? error;
  }
  if (missing.length > 0) throw missingRights(missing, address);
}
