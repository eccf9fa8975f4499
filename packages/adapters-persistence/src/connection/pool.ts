import pg, { type Pool, type PoolConfig } from 'pg';
import { closing } from './close-database.ts';

/** Where a PostgreSQL is and who we are there. What is left out, the driver takes from the PG* variables, but for TLS. */
export interface DatabaseAddress
  extends Pick<PoolConfig, 'host' | 'port' | 'user' | 'password' | 'database' | 'ssl' | 'sslnegotiation'> {
  /** A pooler in transaction mode is there: limits that a connection is begun with, it refuses. */
  readonly pooled?: boolean;
}

/** The bounds of a pool; times in milliseconds, 0 for none. */
export interface PoolLimits {
  /** Connections, at most. */
  readonly size: number;
  /** For a connection: to come free, or to be made. */
  readonly waitTimeout: number;
  /** For a statement, by the server; behind a pooler that is left to the server's own limits. */
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

/** Connections that are made when they are first used; `close` ends them. */
export interface OpenPool {
  readonly pool: Pool;
  /** In bounded time: what is under way is cut off after a second, or `timeout` milliseconds. False where it was. */
  close(timeout?: number): Promise<boolean>;
}

/** The pool alone, for what needs no MikroORM: that takes longer to load than most statements to run. */
export function openPool(
  address: DatabaseAddress,
  limits: PoolLimits = defaultPoolLimits,
  applicationName = 'campaign-mirror',
): OpenPool {
  const pool = new pg.Pool(poolOptions(address, limits, applicationName));
  // What ends a connection that is idle is told to the next statement.
  pool.on('error', () => {});
  return { pool, close: closing(pool) };
}

export function poolOptions(
  { pooled = false, ...address }: DatabaseAddress,
  limits: PoolLimits,
  applicationName: string,
): PoolConfig {
  return {
    ssl: false,
    sslnegotiation: 'postgres',
    ...address,
    max: limits.size,
    connectionTimeoutMillis: limits.waitTimeout,
    query_timeout: limits.queryTimeout,
    ...(limits.statementTimeout > 0 && !pooled && { statement_timeout: limits.statementTimeout }),
    keepAlive: true,
    application_name: applicationName,
  };
}
