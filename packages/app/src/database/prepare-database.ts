import { setTimeout as pause } from 'node:timers/promises';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import type { Migrating } from '@campaign-mirror/adapters-persistence';
import { type DatabaseAddress, openPool } from '@campaign-mirror/adapters-persistence/sql';
import type { LogWriter } from '../logging/log-events.ts';
import type { Settings } from '../settings/settings.ts';
import { type Check, checks } from './checks.ts';
import { clearFault, mayComeBack, nameOf, reason } from './connection-advice.ts';
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
  const beforehand = checks.filter(({ name }) => name === 'version' || name === 'encoding');
  await awaitDatabase(owner, settings, log, ending, beforehand);
  if (settings.RUN_MIGRATIONS === 'true' && !ending.aborted) {
    await migrateClearly(owner, (line) => log.warn({ event: 'migration-awaited' }, line), {
      givenUp: ending,
    });
  }
  await awaitDatabase(access.address('service'), settings, log, ending, checks, settings.STATEMENT_TIMEOUT);
}

/**
 * Waits until the database answers, at most DATABASE_WAIT or until `givenUp`, and makes those of the checks that matter
 * to a start. `statementTimeout`: connects with the parameters of the service's pool, which a pooler may refuse.
 * @throws ClearError when it does not answer, rejects the login, or one of the checks finds what stops a start
 */
export async function awaitDatabase(
  address: DatabaseAddress,
  settings: Settings,
  log: LogWriter,
  givenUp?: AbortSignal,
  wanted: readonly Check[] = checks.filter(({ name }) => name === 'version'),
  statementTimeout?: number,
): Promise<void> {
  const pooled = statementTimeout === undefined || (address.pooled ?? false);
  const limits = {
    size: 1,
    waitTimeout: timeout,
    queryTimeout: timeout,
    statementTimeout: statementTimeout ?? 0,
  };
  const until = performance.now() + settings.DATABASE_WAIT;
  for (let tries = 1; !givenUp?.aborted; tries++) {
    const { pool, close } = openPool({ ...address, pooled }, limits, 'campaign-mirror start');
    try {
      for (const { name, stops, warns, ask } of wanted) {
        if (!stops && !warns) continue;
        const found = await ask(pool, settings, 'service').catch((error) => {
          // A check that only warns does not prevent the start.
          if (stops) throw error;
          const finding = `it could not be checked (${reason(error)})`;
          return { state: 'warning', finding, advice: 'run `./campaign-mirror doctor`' } as const;
        });
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
  bounds: Pick<Migrating, 'givenUp' | 'retries' | 'commitWait'>,
): Promise<boolean> {
  const { migrate } = await import('@campaign-mirror/adapters-persistence');
  const held = 'another transaction holds what the migration has to change: trying again';
  try {
    await migrate(address, {
      ...bounds,
      onWait: () => waits('waiting for another process that migrates'),
      onHeld: (next, tries) => waits(`${held} (${next} of ${tries})`),
    });
    return true;
  } catch (error) {
    const { givenUp } = bounds;
    if (givenUp?.aborted && error === givenUp.reason) return false;
    throw clearFault(error, address, 'migrating');
  }
}
