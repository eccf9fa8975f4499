import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import { databaseConfig } from './database-url.ts';
import { type EmbeddedDatabase, openEmbeddedDatabase } from './embedded/database.ts';
import type { Log } from './log.ts';
import { dataFolder, type Settings } from './settings.ts';

type User = 'owner' | 'operator' | 'service';

/** The database, as each of our parts may use it. */
export interface DatabaseAccess {
  readonly embedded: boolean;
  address(user: User): DatabaseAddress;
  /** @throws ClearError when another process is the service of this data folder already */
  becomeService(): Promise<void>;
  close(): Promise<void>;
}

/** Yours by DATABASE_URL, or the embedded one, which is brought up. @throws ClearError */
export async function openDatabaseAccess(
  settings: Settings,
  log: Log,
  onGivenUp: (error: Error) => void = () => {},
): Promise<DatabaseAccess> {
  if (settings.DATABASE_URL !== undefined) return yours(settings.DATABASE_URL);
  const database = await openEmbeddedDatabase({
    folder: resolve(dataFolder(settings)),
    onEvent: (event, detail) =>
      log.info({ event: `database-${event}`, ...detail }, `embedded database: ${event}`),
    onGivenUp,
  });
  return embedded(database);
}

function embedded(database: EmbeddedDatabase): DatabaseAccess {
  return {
    embedded: true,
    address: (user) => database.address(user),
    becomeService: () => database.becomeService(),
    close: () => database.leave(),
  };
}

/** What the URL leaves out is taken from the PG* variables, as PostgreSQL's own programs do. */
function yours(url: string): DatabaseAccess {
  const given = databaseConfig(url);
  const { PGHOST, PGPORT, PGUSER, PGDATABASE, PGPASSWORD } = process.env;
  const user = given.user || PGUSER || userInfo().username;
  const password = given.password || PGPASSWORD;
  const address: DatabaseAddress = {
    host: given.host || PGHOST || 'localhost',
    port: given.port || Number(PGPORT) || 5432,
    user,
    database: given.database || PGDATABASE || user,
    ...(password !== undefined && { password }),
    ...(given.ssl !== undefined && { ssl: given.ssl }),
  };
  return {
    embedded: false,
    address: () => address,
    becomeService: async () => {},
    close: async () => {},
  };
}
