import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence/sql';
import type { LogWriter } from '../logging/log-events.ts';
import { externalDatabase, isExternal } from '../settings/external-database.ts';
import type { Settings } from '../settings/settings.ts';

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
    const { address } = externalDatabase(settings);
    return { embedded: false, address: () => address, close: async () => {} };
  }
  const { dataFolder, openOwnDatabase } = await import('./embedded-database.ts');
  const folder = dataFolder(settings);
  const database = await openOwnDatabase({
    folder,
    signal,
    besideService,
    onEvent: (event, detail) => {
      if (event === 'awaited')
        onWait(`waiting for process ${detail.processId}, which uses the data in ${folder}`);
      else log?.info({ event: `database-${event}`, ...detail }, `embedded database: ${event}`);
    },
    ...(onLost && { service: true, onLost }),
  });
  return {
    embedded: true,
    // Every field is set, because node-postgres takes a missing one from PG* variables.
    address: (user) => ({ ...database.address(user), ssl: false, sslnegotiation: 'postgres' }),
    close: database.close,
  };
}
