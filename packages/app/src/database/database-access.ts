import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import { type DatabaseAddress, type Role, roles } from '@campaign-mirror/adapters-persistence/service';
import type { EmbeddedOptions } from '@campaign-mirror/embedded-postgres';
import type { LogWriter } from '../logging/log-events.ts';
import { externalDatabase, isExternal } from '../settings/external-database.ts';
import { type Settings, settings as table } from '../settings/settings.ts';

/** The database that the settings name, and its address for each role. */
export interface DatabaseAccess {
  readonly embedded: boolean;
  address(user: 'owner' | 'operator' | 'service'): DatabaseAddress;
  close(): Promise<void>;
}

export interface AccessInput {
  readonly signal: AbortSignal;
  readonly log?: LogWriter;
  /** Receives a line when the program waits for a command that uses the database. */
  readonly onWait: (line: string) => void;
  /** Given by the service only. Called when the database ended by itself. */
  readonly onLost?: (error: Error) => void;
  /** Given by a command that does not end: with the embedded database, it works only while a service runs. */
  readonly besideService?: boolean | undefined;
}

/**
 * Opens your database, or the embedded one: a command uses that of a running service, otherwise it is started.
 * @throws ClearError, also when another service has the embedded database; the reason of the signal
 */
export async function openDatabaseAccess(
  settings: Settings,
  { signal, log, onWait, onLost, besideService = false }: AccessInput,
): Promise<DatabaseAccess> {
  if (isExternal(settings)) {
    const address = externalDatabase(settings);
    return { embedded: false, address: () => address, close: async () => {} };
  }
  const folder = dataFolder(settings);
  const { address, close } = await openOwnDatabase({
    ...{ folder, signal, besideService },
    onEvent: (event, detail) => {
      if (event === 'awaited')
        onWait(`waiting for process ${detail.processId}, which uses the data in ${folder}`);
      else log?.info({ event: `database-${event}`, ...detail }, `embedded database: ${event}`);
    },
    ...(onLost && { service: true, onLost }),
  });
  // Every field is set, because node-postgres takes a missing one from PG* variables.
  const plain = { ssl: false, sslnegotiation: 'postgres' } as const;
  return { embedded: true, address: (user) => ({ ...address(user), ...plain }), close };
}

/** The embedded database with this project's roles. Its code is loaded only if it is used. @throws as `openDatabaseAccess` */
export async function openOwnDatabase(options: Omit<EmbeddedOptions<Role>, 'database' | 'roles'>) {
  const embedded = await import('@campaign-mirror/embedded-postgres/service');
  const all = { ...options, database: 'campaign_mirror', roles };
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
/**
 * The folder of this copy of the project, without a slash at its end and without symbolic links. For a program that has
 * installed this package it is the working directory: the next installation would delete what lies in node_modules.
 */
const projectFolder = folderAbove.split(sep).includes('node_modules') ? process.cwd() : folderAbove;

/**
 * The data folder. The default is in the project; that of root is in a system folder, because the OS user that runs the
 * database for root may not be allowed to enter the project. One that holds data stays in use, whoever asks. Any other
 * path is relative to the working directory.
 */
export function dataFolder({ DATA_DIR }: Settings): string {
  if (DATA_DIR !== table.DATA_DIR.byDefault) return resolve(DATA_DIR);
  const inside = join(projectFolder, '.data');
  const readable = basename(projectFolder).replace(/[^A-Za-z0-9._-]+/g, '-');
  const hash = createHash('sha256').update(projectFolder).digest('hex');
  const ofRoot = `/var/lib/campaign-mirror/data/${readable.slice(0, 40) || 'project'}-${hash.slice(0, 12)}`;
  const inUse = [inside, ofRoot].find((folder) => existsSync(join(folder, 'cluster')));
  return inUse ?? (process.getuid?.() === 0 ? ofRoot : inside);
}
