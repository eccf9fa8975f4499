import type { Socket } from 'node:net';
import type { Connection, Pool, PoolClient, PoolConfig } from 'pg';
import pg from 'pg';
import { withTimeLimit } from './stoppable.ts';

/** The service uses no feature of a newer version. */
export const oldestServerVersion = 15;

/** The database cannot be used as it is. The message is for the operator. */
export class UnfitDatabase extends Error {
  override name = 'UnfitDatabase';
}

/**
 * From now on, a commit whose wait for a synchronous standby was canceled fails as if the connection had been lost: its
 * outcome is unknown. PostgreSQL reports it as successful, with a warning, and a failover may lose it.
 */
export function refuseUnreplicated(pool: Pool): void {
  pool.on('connect', (client) => {
    client.on('notice', ({ routine }) => {
      // The function that warns: its text depends on the server's language. Its other warnings end the connection.
      if (routine !== 'SyncRepWaitForLSN') return;
      const { connection } = client as unknown as { connection: Connection };
      // At once: the message that reports success may already have been received.
      connection.emit('error', new Error('the wait for a synchronous standby was canceled'));
    });
  });
}

/**
 * A PostgreSQL server and the user to connect as. `openPool` takes what is left out, except TLS, from the PG*
 * variables; `openDatabase` takes MikroORM's defaults.
 */
export interface DatabaseAddress
  extends Pick<PoolConfig, 'host' | 'port' | 'user' | 'password' | 'database' | 'ssl' | 'sslnegotiation'> {
  /** A pooler in transaction mode, which rejects limits among the startup parameters. */
  readonly pooled?: boolean;
}

/** The bounds of a pool; times in milliseconds, 0 for none. */
export interface PoolLimits {
  readonly size: number;
  /** How long to wait for a connection: until one becomes free, or is made. */
  readonly waitTimeout: number;
  /** How long a statement may take, enforced by the server; behind a pooler, the server's own limits apply. */
  readonly statementTimeout: number;
  /** How long an answer may take: above `statementTimeout`, for a server that no longer answers at all. */
  readonly queryTimeout: number;
}

/** Of a pool for which none are given. */
export const defaultPoolLimits: PoolLimits = {
  size: 10,
  waitTimeout: 3_000,
  statementTimeout: 5_000,
  queryTimeout: 6_000,
};

/** Connections are made when first used; `close` ends them. */
export interface OpenPool {
  readonly pool: Pool;
  /** Running statements are cut off after a second, or `timeout` milliseconds. False if any was cut off. */
  close(timeout?: number): Promise<boolean>;
}

/**
 * The driver itself leaves a connection open on which it gives up the login, as without a password, until the server ends it
 * a minute later.
 */
export class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: Connection & { stream: Socket } };
    connection.once('error', () => connection.stream.destroy());
  }
}

/** The pool alone, for code that does not need MikroORM, which takes longer to load than most statements to run. */
export function openPool(
  address: DatabaseAddress,
  limits: PoolLimits = defaultPoolLimits,
  applicationName = 'campaign-mirror',
): OpenPool {
  const pool = new pg.Pool({ ...poolOptions(address, limits, applicationName), Client });
  // The next statement reports why an idle connection ended.
  pool.on('error', () => {});
  refuseUnreplicated(pool);
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
    // Whatever the defaults are: the server has to warn of commits that no standby has confirmed, and a statement that
    // waited for a row has to see what was committed meanwhile. Behind a pooler, the role's own defaults apply.
    ...(!pooled && {
      options: '-c client_min_messages=notice -c default_transaction_isolation=read\\ committed',
    }),
    keepAlive: true,
    application_name: applicationName,
  };
}

/** MikroORM keeps a connection that is lost within a transaction: the pool would run out of them. */
export function giveLostBack(pool: Pool): void {
  const giveBack = (client: PoolClient) => {
    try {
      client.release(true);
    } catch {
      // It was given back.
    }
    // Whoever else has it may still do so.
    client.release = () => {};
  };
  pool.on('connect', (client) => client.once('end', () => setImmediate(giveBack, client)));
}

/** Makes `OpenPool#close`, which runs `before` first: MikroORM ends only a pool that it has used. */
export function closing(pool: Pool, before = async () => {}): (timeout?: number) => Promise<boolean> {
  const clients = new Set<PoolClient>();
  pool.on('connect', (client) => clients.add(client)).on('remove', (client) => clients.delete(client));
  return async (timeout = 1_000) => {
    const ended = before().then(() => (pool.ending ? undefined : pool.end()));
    ended.catch(() => {});
    const inTime = ended.then(() => true);
    if (await withTimeLimit(timeout, inTime, false)) return true;
    // Connections that are busy or dead are cut off; their answers are no longer needed.
    for (const client of clients) void (client as unknown as pg.Client).end().catch(() => {});
    return false;
  };
}
