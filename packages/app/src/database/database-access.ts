import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence/sql';
import type { LogWriter } from '../logging/log-events.ts';
import { externalDatabase, isExternal } from '../settings/external-database.ts';
import type { Settings } from '../settings/settings.ts';

/** The database, as each part of the service or command uses it. */
export interface DatabaseAccess {
  readonly embedded: boolean;
  address(user: 'owner' | 'operator' | 'service'): DatabaseAddress;
  close(): Promise<void>;
}

/** How the embedded database is used. */
export interface DatabaseUse {
  readonly signal: AbortSignal;
  /** Told in one line that another command has it, and is waited for. */
  readonly onWait: (line: string) => void;
  /** For the service: the database ended by itself. */
  readonly onLost?: (error: Error) => void;
}

/**
 * Your database by DATABASE_URL or PGHOST, or the embedded one, which is started, unless the command finds that of a
 * service. @throws ClearError, also where another service has it; the reason of the signal
 */
export async function openDatabaseAccess(
  settings: Settings,
  log: LogWriter,
  { signal, onWait, onLost }: DatabaseUse,
): Promise<DatabaseAccess> {
  if (isExternal(settings)) {
    const { address } = externalDatabase(settings);
    return { embedded: false, address: () => address, close: async () => {} };
  }
  const { dataFolder, openOwnDatabase } = await import('./embedded-database.ts');
  const folder = dataFolder(settings);
  const database = await openOwnDatabase({
    folder,
    signal,
    onEvent: (event, detail) => {
      if (event === 'awaited')
        onWait(`waiting for process ${detail.processId}, which uses the data in ${folder}`);
      else log.info({ event: `database-${event}`, ...detail }, `embedded database: ${event}`);
    },
    ...(onLost && { service: true, onLost }),
  });
  return {
    embedded: true,
    // All are set, because node-postgres takes what is left out from PG* variables.
    address: (user) => ({ ...database.address(user), ssl: false, sslnegotiation: 'postgres' }),
    close: database.close,
  };
}
