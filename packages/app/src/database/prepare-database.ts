import { setTimeout as pause } from 'node:timers/promises';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import * as store from '@campaign-mirror/adapters-persistence/service';
import type { LogWriter } from '../logging/log-events.ts';
import type { Settings } from '../settings/settings.ts';
import { examined } from './checks.ts';
import type { DatabaseAccess } from './database-access.ts';
import { clearFault, mayComeBack, nameOf } from './faults.ts';

/** The time between two attempts to reach a database, in milliseconds. */
const betweenTries = 250;

/** How long a connection, and each query, may take, in milliseconds: short, as a signal to stop takes effect between attempts. */
const timeout = 2_000;

/** Waits for the database, migrates it, makes all checks, and logs their warnings. `ending` gives it up. @throws ClearError */
export async function prepareDatabase(
  access: DatabaseAccess,
  { settings, log, ending }: { settings: Settings; log: LogWriter; ending: AbortSignal },
): Promise<void> {
  const owner = access.address('owner');
  await awaitDatabase(owner, settings, 'first', ending, log);
  if (settings.RUN_MIGRATIONS === 'true' && !ending.aborted) {
    const onWait = (line: string) => log.warn({ event: 'migration-awaited' }, line);
    const mended = await migrateClearly(owner, { onWait, givenUp: ending, ifNeeded: true });
    if (mended) log.warn({ event: 'check-warned', check: 'schema' }, mended);
  }
  await awaitDatabase(access.address('service'), settings, 'start', ending, log);
}

/**
 * Waits until the database answers, at most DATABASE_WAIT or until `givenUp`, and makes the checks of a start, or the
 * first of them. Connects with the parameters of the service's pool, which a pooler may refuse.
 * @throws ClearError when it does not answer or rejects the login, or when a check finds a problem that ends a start
 */
export async function awaitDatabase(
  address: store.DatabaseAddress,
  settings: Settings,
  checks: 'first' | 'start',
  givenUp?: AbortSignal,
  log?: LogWriter,
): Promise<void> {
  const { STATEMENT_TIMEOUT: statementTimeout, DATABASE_WAIT } = settings;
  const limits = { size: 1, waitTimeout: timeout, queryTimeout: timeout, statementTimeout };
  const until = performance.now() + DATABASE_WAIT;
  const { pool, close } = await store.openDatabase(address, limits, 'campaign-mirror start');
  const makeChecks = async () => {
    await pool.query('select');
    for await (const { check, state, finding, advice, ends } of examined(pool, settings, checks)) {
      const line = `${finding}: ${advice}`;
      if (state === 'problem' && ends) throw new ClearError(`${nameOf(address)}: ${line}`);
      if (state !== 'ok') log?.warn({ event: 'check-warned', check }, line);
    }
  };
  try {
    for (let tries = 1; !givenUp?.aborted; tries++) {
      try {
        return await makeChecks();
      } catch (error) {
        if (!mayComeBack(error) || performance.now() >= until) throw clearFault(error, address);
        if (tries === 1) log?.warn({ event: 'database-awaited' }, `waiting for ${nameOf(address)}`);
      }
      await pause(Math.min(betweenTries, Math.max(0, until - performance.now())));
    }
  } finally {
    // The end is not awaited: a server that stalls now has already answered.
    close().catch(() => {});
  }
}

/**
 * Migrates. Resolves with what to say of what was missing or disabled before, if anything was.
 * @throws ClearError when the role may not migrate, or another transaction holds a lock that is needed; the reason of
 *   `givenUp`: then nothing was done
 */
export async function migrateClearly(
  address: store.DatabaseAddress,
  options: store.Migrating,
): Promise<string | undefined> {
  const missing = await store.migrate(address, options).catch((error) => {
    throw clearFault(error, address);
  });
  return missing.length > 0 ? `${missing.join(', ')}: functions and triggers were made again` : undefined;
}
