import type { Socket } from 'node:net';
import pg, { type ClientBase, type Connection, type Pool, type PoolClient, type PoolConfig } from 'pg';

/** The service uses no feature of a newer version. */
export const oldestServerVersion = 15;

/** A PostgreSQL server and a user. The driver takes what is left out, except TLS, from the PG* variables. */
export interface DatabaseAddress
  extends Pick<PoolConfig, 'host' | 'port' | 'user' | 'password' | 'database' | 'ssl' | 'sslnegotiation'> {
  /** A pooler in transaction mode, which rejects limits among the startup parameters. */
  readonly pooled?: boolean;
}

/** The bounds of a pool; times in milliseconds, 0 for none. */
export interface PoolLimits {
  readonly size: number;
  /** For a connection, until one becomes free or is made. */
  readonly waitTimeout: number;
  /** For a statement, enforced by the server; behind a pooler, the server's own limits apply. */
  readonly statementTimeout: number;
  /** For an answer: above `statementTimeout`, for a server that no longer answers at all. */
  readonly queryTimeout: number;
}

/** Of a pool for which none are given. */
export const defaultPoolLimits: PoolLimits = {
  size: 10,
  waitTimeout: 3_000,
  statementTimeout: 5_000,
  queryTimeout: 6_000,
};

/** The driver leaves a connection open on which it gives up the login, until the server ends it a minute later. */
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
    // The driver reads its variables for what is empty; MikroORM would have defaults for what is left out.
    ...{ host: '', port: 0, user: '', database: '', ssl: false, sslnegotiation: 'postgres' as const },
    ...address,
    Client,
    max: limits.size,
    connectionTimeoutMillis: limits.waitTimeout,
    query_timeout: limits.queryTimeout,
    ...(limits.statementTimeout > 0 && !pooled && { statement_timeout: limits.statementTimeout }),
    // The server has to warn of commits that no standby has confirmed, and a statement that waited for a row has to see
    // what was committed meanwhile. Behind a pooler, the role's own defaults apply.
    ...(!pooled && {
      options: '-c client_min_messages=notice -c default_transaction_isolation=read\\ committed',
    }),
    keepAlive: true,
    application_name: applicationName,
  };
}

/**
 * Prepares the connections of a pool, and makes `Database#close`; `end` ends the pool when its connections are free.
 * PostgreSQL reports a commit as successful, with a warning, if its wait for a synchronous standby was canceled. Since
 * a failover may lose it, it fails from now on as if the connection had been lost.
 */
export function closing(pool: Pool, end: () => Promise<void>): (timeout?: number) => Promise<boolean> {
  const clients = new Set<PoolClient>();
  pool.on('remove', (client) => clients.delete(client));
  pool.on('connect', (client) => {
    clients.add(client);
    client.once('end', () => setImmediate(giveBack, client));
    client.on('notice', ({ routine }) => {
      // The function that warns: its text depends on the server's language. Its other warnings end the connection.
      if (routine !== 'SyncRepWaitForLSN') return;
      // At once: the message that reports success may already have been received.
      connectionOf(client).emit('error', new Error('the wait for a synchronous standby was canceled'));
    });
  });
  return async (timeout = 1_000) => {
    const ended = end().then(() => true);
    ended.catch(() => {});
    if (await withTimeLimit(timeout, ended, false)) return true;
    // Connections that are busy or dead are cut off; their answers are no longer needed.
    for (const client of clients) void (client as unknown as pg.Client).end().catch(() => {});
    return false;
  };
}

/** MikroORM keeps a connection that is lost within a transaction: the pool would run out of them. */
function giveBack(client: PoolClient): void {
  try {
    client.release(true);
  } catch {
    // It was given back.
  }
  // Whoever else has it may still do so.
  client.release = () => {};
}

/** The driver's types do not have it. */
export const connectionOf = (client: ClientBase) =>
  (client as unknown as { connection: Connection & { stream: Socket } }).connection;

/** What `promise` resolves with, or `late` after this many milliseconds. A rejection that comes later is ignored. */
export async function withTimeLimit<T, Late = undefined>(
  milliseconds: number,
  promise: Promise<T>,
  late?: Late,
): Promise<T | Late> {
  const { promise: timeUp, resolve } = Promise.withResolvers<Late>();
  const timer = setTimeout(() => resolve(late as Late), milliseconds);
  try {
    return await Promise.race([promise, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
