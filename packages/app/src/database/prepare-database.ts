import { setTimeout as pause } from 'node:timers/promises';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import {
  type DatabaseAddress,
  type Migrating,
  migrate,
  openDatabase,
} from '@campaign-mirror/adapters-persistence';
import type { LogWriter } from '../logging/log-events.ts';
import type { Settings } from '../settings/settings.ts';
import { factsOf } from './check.ts';
import { checks } from './checks.ts';
import { clearFault, mayComeBack, nameOf } from './connection-advice.ts';
import type { DatabaseAccess } from './database-access.ts';

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
  await awaitDatabase(owner, settings, ['version', 'encoding'], ending, log);
  if (settings.RUN_MIGRATIONS === 'true' && !ending.aborted) {
    const onWait = (line: string) => log.warn({ event: 'migration-awaited' }, line);
    const missing = await migrateClearly(owner, onWait, { givenUp: ending, ifNeeded: true });
    if (missing?.length) log.warn({ event: 'check-warned', check: 'schema' }, madeAgain(missing));
  }
  const checkNames = checks.map(({ name }) => name);
  await awaitDatabase(access.address('service'), settings, checkNames, ending, log);
}

/**
 * Waits until the database answers, at most DATABASE_WAIT or until `givenUp`, and makes the checks of these names. Connects
 * with the parameters of the service's pool, which a pooler may refuse.
 * @throws ClearError when it does not answer or rejects the login, or when a check finds a problem that ends a start
 */
export async function awaitDatabase(
  address: DatabaseAddress,
  settings: Settings,
  checkNames: readonly string[],
  givenUp?: AbortSignal,
  log?: LogWriter,
): Promise<void> {
  const { STATEMENT_TIMEOUT: statementTimeout, DATABASE_WAIT } = settings;
  const limits = { size: 1, waitTimeout: timeout, queryTimeout: timeout, statementTimeout };
  const until = performance.now() + DATABASE_WAIT;
  const { pool, close } = await openDatabase(address, limits, 'campaign-mirror start');
  try {
    for (let tries = 1; !givenUp?.aborted; tries++) {
      try {
        const input = { facts: await factsOf(pool), database: pool, settings, purpose: 'service' } as const;
        for (const { name, stops, warns, run } of checks) {
          if (!checkNames.includes(name)) continue;
          for (const { state, finding, advice } of [await run(input)].flat()) {
            const line = `${finding}: ${advice}`;
            if (stops && state === 'problem')
              throw new ClearError(`the database ${nameOf(address)}: ${line}`);
            if (warns && state !== 'ok') log?.warn({ event: 'check-warned', check: name }, line);
          }
        }
        return;
      } catch (error) {
        if (!mayComeBack(error) || performance.now() >= until) throw clearFault(error, address, 'connecting');
        if (tries === 1)
          log?.warn({ event: 'database-awaited' }, `waiting for the database ${nameOf(address)}`);
      }
      await pause(Math.min(betweenTries, Math.max(0, until - performance.now())));
    }
  } finally {
    // The end is not awaited: a server that stalls now has already answered.
    close().catch(() => {});
  }
}

/** What to say of what `migrate` has found. */
export const madeAgain = (missing: readonly string[]): string =>
  `${missing.join(', ')}: functions and triggers were made again`;

/**
 * Migrates; `onWait` receives a line that says what it waits for. Resolves with what was missing or disabled before;
 * undefined if it was given up, with nothing done.
 * @throws ClearError when the role may not migrate, or another transaction holds a lock that is needed
 */
export async function migrateClearly(
  address: DatabaseAddress,
  onWait: (line: string) => void,
  options: Migrating,
): Promise<string[] | undefined> {
  try {
    return await migrate(address, { ...options, onWait });
  } catch (error) {
    if (options.givenUp?.aborted && error === options.givenUp.reason) return undefined;
    throw clearFault(error, address, 'migrating');
  }
}
