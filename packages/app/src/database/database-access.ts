import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence/sql';
import type { EmbeddedEvent } from '@campaign-mirror/embedded-postgres';
import type { Logger } from 'pino';
import type { LogWriter } from '../logging/log-events.ts';
import type { Settings } from '../settings/settings.ts';
import { isYours, yourDatabase } from '../settings/your-database.ts';

/** The database, as each part of the service or command uses it. */
export interface DatabaseAccess {
  readonly embedded: boolean;
  address(user: 'owner' | 'operator' | 'service'): DatabaseAddress;
  /** @throws ClearError when another process already serves from this data folder */
  becomeService(): Promise<void>;
  close(): Promise<void>;
}

/** The events of the embedded database that an operator should see; all others are for information. */
const levels: Partial<Record<EmbeddedEvent, 'warn' | 'error'>> = {
  lost: 'warn',
  'restart-failed': 'warn',
  'stop-forced': 'warn',
  'given-up': 'error',
};

/** Your database by DATABASE_URL or PGHOST, or the embedded one, which is started. @throws ClearError */
export async function openDatabaseAccess(
  settings: Settings,
  log: LogWriter,
  onGivenUp?: (error: Error) => void,
  onEvent?: (event: EmbeddedEvent) => void,
): Promise<DatabaseAccess> {
  if (isYours(settings)) {
    const { address } = yourDatabase(settings);
    return { embedded: false, address: () => address, becomeService: async () => {}, close: async () => {} };
  }
  const { dataFolder, openOwnDatabase } = await import('./embedded-database.ts');
  const { folder, because } = await dataFolder(settings);
  if (because !== undefined)
    log.info({ event: 'database-elsewhere', folder, because }, `the data lies in ${folder}: ${because}`);
  const database = await openOwnDatabase({
    folder,
    onEvent: (event, detail) => {
      onEvent?.(event);
      const line = { event: `database-${event}`, ...detail };
      (log as Logger)[levels[event] ?? 'info'](line, `embedded database: ${event}`);
    },
    ...(onGivenUp && { onGivenUp }),
  });
  return {
    embedded: true,
    // All are set, because node-postgres takes what is left out from PG* variables.
    address: (user) => ({ ...database.address(user), ssl: false, sslnegotiation: 'postgres' }),
    becomeService: database.becomeService,
    close: database.leave,
  };
}
