import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Call, ClearError } from '@campaign-mirror/adapters-cli/terminal';
import * as store from '@campaign-mirror/adapters-persistence/service';
import type { EmbeddedOptions } from '@campaign-mirror/embedded-postgres';
import type { LogWriter } from '../logging/log-events.ts';
import type { ServiceInput } from '../process/life.ts';
import { externalDatabase, isExternal } from '../settings/external-database.ts';
import { type Settings, settings as table } from '../settings/settings-table.ts';
import { clearFault, isTransient, nameOf } from './database-advice.ts';
import { checkDatabase, type Occasion } from './database-checks.ts';

/** The database that the settings name, and its address for each role. */
export interface DatabaseAccess {
  readonly embedded: boolean;
  address(user: store.Role | 'owner'): store.DatabaseAddress;
  close(): Promise<void>;
}

/** The methods of the log that the steps below use. A command prints warnings only. */
type Notices = Pick<LogWriter, 'info' | 'warn'>;

export const commandNotices = ({ output }: Call): Notices => ({
  info: () => {},
  warn: (_, line) => void output.notice(line),
});

/** `onLost` is for the service; `besideService` for a command that does not end, and needs a running service. */
type Options = Pick<EmbeddedOptions<store.Role>, 'signal' | 'onLost' | 'besideService'>;

/** Your database, or the embedded one, which is started if necessary. @throws ClearError; the signal's reason */
export async function openDatabaseAccess(
  settings: Settings,
  { log, ...options }: Options & { readonly log: Notices },
): Promise<DatabaseAccess> {
  if (isExternal(settings)) {
    const address = externalDatabase(settings);
    return { embedded: false, address: () => address, close: async () => {} };
  }
  const folder = dataFolder(settings);
  const { address, close } = await startEmbeddedDatabase({
    ...{ ...options, folder, service: options.onLost !== undefined },
    onEvent: (event, detail) => {
      const awaited = `waiting for process ${detail.processId}, which uses the data in ${folder}`;
      if (event === 'awaited') log.warn({ event: 'database-awaited' }, awaited);
      else log.info({ event: `database-${event}`, ...detail }, `embedded database: ${event}`);
    },
  });
  // node-postgres would read a missing field from PG* variables.
  const plain = { ssl: false, sslnegotiation: 'postgres' } as const;
  return { embedded: true, address: (user) => ({ ...address(user), ...plain }), close };
}

/** The embedded database with the roles of this project, loaded on demand. @throws as `openDatabaseAccess` */
export async function startEmbeddedDatabase(
  options: Omit<EmbeddedOptions<store.Role>, 'database' | 'roles'>,
) {
  const embedded = await import('@campaign-mirror/embedded-postgres/service');
  const all = { ...options, database: 'campaign_mirror', roles: store.roles };
  return await embedded.openEmbeddedDatabase(all).catch((error) => {
    if (!(error instanceof embedded.EmbeddedError)) throw error;
    throw new ClearError(
      error.message
        .replace(embedded.advice.otherFolder, 'choose another folder with DATA_DIR')
        .replace(embedded.advice.otherServer, 'set DATABASE_URL to use a PostgreSQL of your own'),
    );
  });
}

const folderAbove = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
/** The folder of this copy of the project, but never node_modules, which an installation empties. */
const projectFolder = folderAbove.split(sep).includes('node_modules') ? process.cwd() : folderAbove;

/** By default, the folder with data; otherwise in the project, or for root in /var/lib, which `postgres` may enter. */
export function dataFolder({ DATA_DIR }: Settings): string {
  if (DATA_DIR !== table.DATA_DIR.byDefault) return resolve(DATA_DIR);
  const inside = join(projectFolder, '.data');
  const readable = basename(projectFolder).replace(/[^A-Za-z0-9._-]+/g, '-');
  const hash = createHash('sha256').update(projectFolder).digest('hex');
  const ofRoot = `/var/lib/campaign-mirror/data/${readable.slice(0, 40) || 'project'}-${hash.slice(0, 12)}`;
  const inUse = [inside, ofRoot].find((folder) => existsSync(join(folder, 'cluster')));
  return inUse ?? (process.getuid?.() === 0 ? ofRoot : inside);
}

/** Waits for the database, migrates it, makes all checks, and logs their warnings. @throws ClearError */
export async function prepareDatabase(access: DatabaseAccess, { settings, log, life }: ServiceInput) {
  const { ending } = life;
  const owner = access.address('owner');
  await awaitDatabase(owner, settings, 'first', ending, log);
  if (settings.RUN_MIGRATIONS === 'true' && !ending.aborted) {
    const options = { operator: 'the service, at its start', givenUp: ending, ifNeeded: true };
    const { madeAgain } = await migrateWithNotices(owner, settings, log, options);
    if (madeAgain.length > 0)
      log.warn({ event: 'check-warned', check: 'schema' }, `recreated: ${madeAgain.join(', ')}`);
  }
  await awaitDatabase(access.address('service'), settings, 'start', ending, log);
}

/** How long a connection, and each query, may take, in milliseconds. A stop signal takes effect between attempts. */
const timeout = 2_000;

/** Waits at most DATABASE_WAIT, or until `givenUp`, for an answer; then makes the checks. @throws ClearError */
export async function awaitDatabase(
  address: store.DatabaseAddress,
  settings: Settings,
  occasion: Occasion,
  givenUp?: AbortSignal,
  log?: LogWriter,
): Promise<void> {
  const { STATEMENT_TIMEOUT: statementTimeout, DATABASE_WAIT } = settings;
  const limits = { size: 1, waitTimeout: timeout, queryTimeout: timeout, statementTimeout };
  const until = performance.now() + DATABASE_WAIT;
  const { pool, close } = await store.openDatabase(address, limits, 'campaign-mirror start');
  try {
    for (let tries = 1; !givenUp?.aborted; tries++) {
      try {
        await pool.query('select');
        return await requireChecks(pool, address, settings, occasion, log);
      } catch (error) {
        if (!isTransient(error) || performance.now() >= until) throw clearFault(error, address);
        if (tries === 1) log?.warn({ event: 'database-awaited' }, `waiting for ${nameOf(address)}`);
      }
      await pause(Math.min(250, Math.max(0, until - performance.now())));
    }
  } finally {
    // Not awaited: the server may stall after its answer.
    close().catch(() => {});
  }
}

/** Logs warnings. @throws ClearError for the first problem */
export async function requireChecks(
  pool: store.Database['pool'],
  address: store.DatabaseAddress,
  settings: Settings,
  occasion: Occasion,
  log?: LogWriter,
): Promise<void> {
  for await (const { check, state, finding, advice, ends } of checkDatabase(pool, settings, occasion)) {
    const line = `${finding}: ${advice}`;
    if (state === 'problem' && ends) throw new ClearError(`${nameOf(address)}: ${line}`);
    if (state !== 'ok') log?.warn({ event: 'check-warned', check }, line);
  }
}

/** Migrates; reports waits and a restored database. @throws ClearError; the reason of `givenUp` */
export async function migrateWithNotices(
  address: store.DatabaseAddress,
  settings: Settings,
  log: Notices,
  options: Pick<store.Migrating, 'operator' | 'givenUp' | 'ifNeeded'>,
): Promise<store.Migrated> {
  const onWait = (line: string) => log.warn({ event: 'migration-awaited' }, line);
  const migrated = await store.migrate(address, { ...options, onWait }).catch(async (error) => {
    // The schema is not that of this version: the checks name the missing parts.
    if (/^(42[P7]|3F)/.test(store.codeOf(error)))
      await awaitDatabase(address, settings, 'start', options.givenUp);
    throw clearFault(error, address);
  });
  if (!migrated.restored) return migrated;
  const { newestChangeAt, newestEntryAt } = migrated.restored;
  // After pg_upgrade this warning appears too, although nothing was lost.
  const line =
    'the database came from a dump or another server; its newest change of a mirror is from ' +
    `${newestChangeAt ?? 'never'}, its newest entry of the audit from ${newestEntryAt ?? 'never'}; ` +
    'revocations, rotations, moves and transfers after that are lost: ' +
    'docs/how-to/backup-and-restore.md says what to check';
  log.warn({ event: 'check-warned', check: 'origin' }, line);
  return migrated;
}
