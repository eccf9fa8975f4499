import { setTimeout as pause } from 'node:timers/promises';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import type { Migrating } from '@campaign-mirror/adapters-persistence';
import { type DatabaseAddress, openPool } from '@campaign-mirror/adapters-persistence/sql';
import type { LogWriter } from '../logging/log-events.ts';
import type { Settings } from '../settings/settings.ts';
import { checks, factsOf } from './checks.ts';
import { clearFault, mayComeBack, nameOf } from './connection-advice.ts';
import type { DatabaseAccess } from './database-access.ts';

/** Between two attempts to reach a database, in milliseconds. */
const betweenTries = 250;

/** For a connection, and for each query, in milliseconds: a signal to stop takes effect between two attempts. */
const timeout = 2_000;

/**
 * Makes the database available and up to date for the service, and logs what `checks` warn of. When `ending` is
 * aborted, the rest is left out.
 * @throws ClearError when it does not answer, may not be used, or a check finds what stops a start
 */
export async function prepareDatabase(
  access: DatabaseAccess,
  { settings, log, ending }: { settings: Settings; log: LogWriter; ending: AbortSignal },
): Promise<void> {
  const owner = access.address('owner');
  await awaitDatabase(owner, settings, log, ending, ['version', 'encoding']);
  if (settings.RUN_MIGRATIONS === 'true' && !ending.aborted) {
    const waits = (line: string) => log.warn({ event: 'migration-awaited' }, line);
    await migrateClearly(owner, waits, { givenUp: ending });
  }
  const wanted = checks.map(({ name }) => name);
  await awaitDatabase(access.address('service'), settings, log, ending, wanted);
}

/**
 * Waits until the database answers, at most DATABASE_WAIT or until `givenUp`, and makes the checks that are `wanted`.
 * Connects with the parameters of the service's pool, which a pooler may refuse.
 * @throws ClearError when it does not answer, rejects the login, or one of the checks finds what stops a start
 */
export async function awaitDatabase(
  address: DatabaseAddress,
  settings: Settings,
  log: LogWriter,
  givenUp?: AbortSignal,
  wanted: readonly string[] = ['version'],
): Promise<void> {
  const { STATEMENT_TIMEOUT: statementTimeout, DATABASE_WAIT } = settings;
  const limits = { size: 1, waitTimeout: timeout, queryTimeout: timeout, statementTimeout };
  const until = performance.now() + DATABASE_WAIT;
  for (let tries = 1; !givenUp?.aborted; tries++) {
    const { pool, close } = openPool(address, limits, 'campaign-mirror start');
    try {
      const asked = { facts: await factsOf(pool), database: pool, settings, purpose: 'service' } as const;
      for (const { name, stops, warns, ask } of checks.filter(({ name }) => wanted.includes(name))) {
        const found = await ask(asked);
        for (const { state, finding, advice } of [found].flat()) {
          const line = `${finding}: ${advice}`;
          if (stops && state === 'problem') throw new ClearError(`the database ${nameOf(address)}: ${line}`);
          if (warns && state !== 'ok') log.warn({ event: 'check-warned', check: name }, line);
        }
      }
      return;
    } catch (error) {
      if (!mayComeBack(error) || performance.now() >= until) throw clearFault(error, address, 'connecting');
      if (tries === 1) log.warn({ event: 'database-awaited' }, `waiting for the database ${nameOf(address)}`);
    } finally {
      // Not awaited: a server that stalls now has already answered.
      close().catch(() => {});
    }
    await pause(Math.min(betweenTries, Math.max(0, until - performance.now())));
  }
}

/**
 * `waits` is called with a line for people. False when `givenUp`: then nothing was done.
 * @throws ClearError when the role may not migrate, or another transaction holds a lock that is needed
 */
export async function migrateClearly(
  address: DatabaseAddress,
  waits: (line: string) => void,
  bounds: Migrating,
): Promise<boolean> {
  const { migrate } = await import('@campaign-mirror/adapters-persistence');
  try {
    await migrate(address, {
      ...bounds,
      onWait: () => waits('waiting for another process that migrates'),
      onHeld: (holders, next, tries) => {
        const locked = `${holders.join(', ') || 'another transaction'} holds what the migration has to change`;
        waits(`${locked}: trying again (${next} of ${tries})`);
      },
    });
    return true;
  } catch (error) {
    if (bounds.givenUp?.aborted && error === bounds.givenUp.reason) return false;
    throw clearFault(error, address, 'migrating');
  }
}
