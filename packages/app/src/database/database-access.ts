import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence/sql';
import type { EmbeddedDatabase, EmbeddedEvent } from '@campaign-mirror/embedded-postgres';
import type { Logger } from 'pino';
import { type Log, type LogWriter, logEvents } from '../logging/log-events.ts';
import type { Settings } from '../settings/settings.ts';
import { isYours, yourDatabase } from '../settings/your-database.ts';
import { dataFolder } from './data-folder.ts';

type User = 'owner' | 'operator' | 'service';

/** The database, as each part of the service or command uses it. */
export interface DatabaseAccess {
  readonly embedded: boolean;
  address(user: User): DatabaseAddress;
  /** @throws ClearError when another process already serves from this data folder */
  becomeService(): Promise<void>;
  close(): Promise<void>;
}

/** Your database by DATABASE_URL or PGHOST, or the embedded one, which is started. @throws ClearError */
export async function openDatabaseAccess(
  settings: Settings,
  log: LogWriter,
  onGivenUp: (error: Error) => void = () => {},
  onEvent: (event: EmbeddedEvent) => void = () => {},
): Promise<DatabaseAccess> {
  if (isYours(settings)) return borrowed(yourDatabase(settings).address, false);
  const { openOwnDatabase } = await import('./embedded-database.ts');
  const { folder, because } = await dataFolder(settings);
  if (because !== undefined)
    log.info({ event: 'database-elsewhere', folder, because }, `the data lies in ${folder}: ${because}`);
  const database = await openOwnDatabase({
    folder,
    onEvent: (event, detail) => {
      onEvent(event);
      const name = `database-${event}` as const;
      const [level] = logEvents[name].levels;
      (log as Log as Logger)[level]({ event: name, ...detail }, `embedded database: ${event}`);
    },
    onGivenUp,
  });
  return embedded(database);
}

function embedded(database: EmbeddedDatabase<User>): DatabaseAccess {
  return {
    embedded: true,
    // All are set, because node-postgres takes what is left out from PG* variables.
    address: (user) => ({ ...database.address(user), ssl: false, sslnegotiation: 'postgres' }),
    becomeService: () => database.becomeService(),
    close: () => database.leave(),
  };
}

/** A database that others run: yours, or for a worker its primary's. */
export const borrowed = (address: DatabaseAddress, embedded: boolean): DatabaseAccess => ({
  embedded,
  address: () => address,
  becomeService: async () => {},
  close: async () => {},
});
