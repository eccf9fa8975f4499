import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pg, { type ClientBase, type Connection, type Pool, type PoolClient, type PoolConfig } from 'pg';

/** Features of newer versions are not used. */
export const oldestServerVersion = 15;

/** A PostgreSQL server and a user. The driver reads missing fields, except TLS, from the PG* variables. */
export interface DatabaseAddress
  extends Pick<PoolConfig, 'host' | 'port' | 'user' | 'password' | 'database' | 'ssl' | 'sslnegotiation'> {
  /** A pooler in transaction mode, which rejects limits among the startup parameters. */
  readonly pooled?: boolean;
}

/** The limits of a pool; times in milliseconds, 0 for none. */
export interface PoolLimits {
  readonly size: number;
  /** For a connection, until one becomes free or is made. */
  readonly waitTimeout: number;
  /** For a statement, enforced by the server; behind a pooler, the server's own limits apply. */
  readonly statementTimeout: number;
  /** For an answer: above `statementTimeout`, for a server that no longer answers. */
  readonly queryTimeout: number;
}

/** The default limits of a pool. */
export const defaultPoolLimits: PoolLimits = {
  size: 10,
  waitTimeout: 3_000,
  statementTimeout: 5_000,
  queryTimeout: 6_000,
};

/** Closes the connection of a failed login: the driver leaves it open until the server ends it a minute later. */
export class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const connection = connectionOf(this);
    connection.once('error', () => connection.stream.destroy());
  }
}

export function poolOptions(
  { pooled = false, ...address }: DatabaseAddress,
  limits: PoolLimits,
  applicationName: string,
) {
  return {
    // The driver reads its variables for empty fields. MikroORM has other defaults for missing ones.
    ...{ host: '', port: 0, user: '', database: '', ssl: false, sslnegotiation: 'postgres' as const },
    ...address,
    Client,
    max: limits.size,
    connectionTimeoutMillis: limits.waitTimeout,
    query_timeout: limits.queryTimeout,
    ...(limits.statementTimeout > 0 && !pooled && { statement_timeout: limits.statementTimeout }),
    // A notice reports an unconfirmed commit. After a lock wait, a row must be read again.
    ...(!pooled && {
      options: '-c client_min_messages=notice -c default_transaction_isolation=read\\ committed',
    }),
    keepAlive: true,
    application_name: applicationName,
  };
}

/**
 * Prepares the connections of a pool. Returns `Database#close`; `end` ends the pool when its connections are free.
 * PostgreSQL reports success, with a notice, if the wait of a commit for a synchronous standby was canceled. A failover
 * may lose that commit, so it fails here like a lost connection.
 */
export function preparePool(pool: Pool, end: () => Promise<void>): (timeout?: number) => Promise<boolean> {
  const clients = new Set<PoolClient>();
  pool.on('remove', (client) => clients.delete(client));
  pool.on('connect', (client) => {
    clients.add(client);
    client.once('end', () => setImmediate(giveBack, client));
    client.on('notice', ({ routine }) => {
      // The name of the server's function: the text depends on the language.
      if (routine !== 'SyncRepWaitForLSN') return;
      // Synchronously: the message of success may already have been received.
      connectionOf(client).emit('error', new Error('the wait for a synchronous standby was canceled'));
    });
  });
  return async (timeout = 1_000) => {
    const ended = end().then(() => true);
    ended.catch(() => {});
    if (await Promise.race([ended, pause(timeout, false, { ref: false })])) return true;
    for (const client of clients) void (client as unknown as pg.Client).end().catch(() => {});
    return false;
  };
}

/** MikroORM keeps a connection that was lost within a transaction: the pool would run out of connections. */
function giveBack(client: PoolClient): void {
  try {
    client.release(true);
  } catch {
    // It was released before.
  }
  // Its user may still release it.
  client.release = () => {};
}

/** The driver's types omit this property. */
export const connectionOf = (client: ClientBase) =>
  (client as unknown as { connection: Connection & { stream: Socket } }).connection;
