import { Migrator } from '@mikro-orm/migrations';
import { type Connection, MikroORM, type PostgreSqlConnection } from '@mikro-orm/postgresql';
import type { Pool, PoolConfig } from 'pg';
import { closing } from './close-database.ts';
import { entities, schema } from './entities.ts';
import { migrations } from './migrations.ts';

/** Where a PostgreSQL is and who we are there. What is left out, the driver takes from the PG* variables, but for TLS. */
export type DatabaseAddress = Pick<
  PoolConfig,
  'host' | 'port' | 'user' | 'password' | 'database' | 'ssl' | 'sslnegotiation'
>;

/** The bounds of a pool; times in milliseconds, 0 for none. */
export interface PoolLimits {
  /** Connections, at most. */
  readonly size: number;
  /** For a connection: to come free, or to be made. */
  readonly waitTimeout: number;
  /** For a statement, by the server. */
  readonly statementTimeout: number;
  /** For an answer, by us: above `statementTimeout`, for the server that no longer answers at all. */
  readonly queryTimeout: number;
}

export const defaultPoolLimits: PoolLimits = {
  size: 10,
  waitTimeout: 3_000,
  statementTimeout: 5_000,
  queryTimeout: 6_000,
};

/** MikroORM on its pool. The pool is made when it is first used; `close` ends it. */
export interface Database {
  readonly orm: MikroORM;
  readonly pool: Pool;
  /** In bounded time: what is under way is cut off after a second, or `patience` milliseconds. False where it was. */
  close(patience?: number): Promise<boolean>;
}

export async function openDatabase(
  address: DatabaseAddress,
  limits: PoolLimits = defaultPoolLimits,
  applicationName = 'campaign-mirror',
): Promise<Database> {
  const orm = new MikroORM({
    entities,
    extensions: [Migrator],
    dbName: address.database ?? 'postgres',
    driverOptions: { ...driverOptions(address, limits), application_name: applicationName },
    // Else it connects at once, and creates the database where it is missing.
    ensureDatabase: false,
    // Its messages may hold interpolated values: what goes wrong reaches the caller as an exception.
    logger: () => {},
    migrations: {
      tableName: `${schema}.migrations`,
      migrationsList: [...migrations],
      snapshot: false,
      disableForeignKeys: false,
      silent: true,
    },
  });
  const connection: Connection = orm.em.getConnection();
  const pool = await (connection as PostgreSqlConnection).getNativeClient();
  return { orm, pool, close: closing(orm, pool) };
}

function driverOptions(address: DatabaseAddress, limits: PoolLimits): PoolConfig {
  return {
    ssl: false,
    sslnegotiation: 'postgres',
    ...address,
    max: limits.size,
    connectionTimeoutMillis: limits.waitTimeout,
    query_timeout: limits.queryTimeout,
    // Left out when it is 0, since a pooler between us and the server may refuse it as a start-up parameter.
    ...(limits.statementTimeout > 0 && { statement_timeout: limits.statementTimeout }),
    keepAlive: true,
  };
}
