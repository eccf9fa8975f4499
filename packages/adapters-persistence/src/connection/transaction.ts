/* Transactions: MikroORM's, and, for streams and statements of many rows, those on a connection of their own. */
import type { OperatorAct } from '@campaign-mirror/domain/operator';
import { type EntityManager, IsolationLevel, type MikroORM } from '@mikro-orm/postgresql';
import type { ClientBase, Pool, PoolClient, QueryResultRow } from 'pg';
import { portFault, throwFault } from './database-faults.ts';
import { connectionOf } from './pool.ts';
import { rowsOf } from './rows.ts';

/** Whatever the database's default is: a transaction that waited for a lock must see what the other one committed. */
export const { READ_COMMITTED: isolationLevel } = IsolationLevel;

/** Reads the database as it is at one moment. @throws Unavailable */
export const reading = <T>(orm: MikroORM, read: (em: EntityManager) => Promise<T>): Promise<T> =>
  orm.em
    .fork()
    .transactional(read, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true })
    .catch(throwFault);

/** An adapter whose acts the database records in the audit. */
export abstract class AuditedAdapter {
  protected readonly orm: MikroORM;
  readonly #variables: Readonly<Record<string, string>>;

  /** `orm`: of `openDatabase`. */
  constructor(orm: MikroORM, { operator, requestId }: OperatorAct) {
    this.orm = orm;
    this.#variables = { 'campaign_mirror.operator': operator, 'campaign_mirror.request_id': requestId };
  }

  /**
   * Runs an act of the operator in one transaction, in which the database also records it in the audit.
   * @throws Unavailable when the connection is lost: the outcome is unknown then
   */
  protected audited<T>(run: (em: EntityManager) => Promise<T>): Promise<T> {
    const em = this.orm.em.fork({ session: { variables: this.#variables } });
    return em.transactional(run, { isolationLevel }).catch(throwFault);
  }
}

/**
 * For long work: neither a long statement nor a slow reader or writer ends the transaction. But a lost connection ends
 * a statement within half a second, where the server's system can notice it. PostgreSQL 17 added `transaction_timeout`.
 */
export const withoutTimeouts = `
  set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  select set_config(name, case name when 'transaction_timeout' then '0' else '500ms' end, true) from pg_settings
  where name = 'transaction_timeout' or name = 'client_connection_check_interval' and version() ~ 'linux|darwin|bsd'`;

/** Until `spare`, `signal` cuts the connection, and the server rolls back: `faultOf` an error is then its reason. */
function cutBy(signal: AbortSignal | undefined, client: ClientBase) {
  let isCut = false;
  const cut = () => {
    isCut = true;
    connectionOf(client).stream.destroy();
  };
  signal?.addEventListener('abort', cut);
  if (signal?.aborted) cut();
  return {
    spare: () => signal?.removeEventListener('abort', cut),
    faultOf: (error: unknown): unknown => (isCut ? signal?.reason : portFault(error)),
  };
}

/** @throws Unavailable */
export const connectTo = (pool: Pool) => pool.connect().catch(throwFault);

/**
 * Runs statements in one transaction, until `signal`. Each statement sees what others have committed by then, whatever
 * the database's default is; `settings` are statements that hold for the transaction.
 * @throws Unavailable when the connection is lost: whether it was committed is unknown then; the signal's reason
 */
export async function inTransaction<T>(
  pool: Pool,
  run: (client: PoolClient) => Promise<T>,
  settings = '',
  signal?: AbortSignal,
): Promise<T> {
  const client = await connectTo(pool);
  const { spare, faultOf } = cutBy(signal, client);
  let isDone = false;
  try {
    await client.query(`begin isolation level read committed; ${settings}`);
    const result = await run(client);
    // A commit is not cut off.
    spare();
    await client.query('commit');
    isDone = true;
    return result;
  } catch (error) {
    throw faultOf(error);
  } finally {
    spare();
    // Closing the connection rolls back; an explicit rollback could wait for a running statement.
    client.release(!isDone);
  }
}

/**
 * What `read` reads of the database as it is at one moment, until `signal`; it blocks nobody. It is read as fast as it is
 * consumed. A consumer that stops releases the connection. @throws Unavailable, or the signal's reason
 */
export async function* ofOneMoment<T>(
  pool: Pool,
  signal: AbortSignal | undefined,
  read: (client: PoolClient) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const client = await connectTo(pool);
  const { spare, faultOf } = cutBy(signal, client);
  try {
    await client.query(`begin isolation level repeatable read read only; ${withoutTimeouts}`);
    yield* read(client);
  } catch (error) {
    throw faultOf(error);
  } finally {
    spare();
    // Nothing was written: there is nothing to commit or roll back.
    client.release(true);
  }
}

/** The same of the rows of a statement. */
export const rowsOfOneMoment = <Row extends QueryResultRow>(
  pool: Pool,
  signal: AbortSignal | undefined,
  query: string,
  values?: unknown[],
) => ofOneMoment(pool, signal, (client) => cursorRows<Row>(client, query, values));

/** The rows of a statement, of which one at a time is open on a connection. */
export async function* cursorRows<Row extends QueryResultRow>(
  client: PoolClient,
  query: string,
  values: unknown[] = [],
): AsyncGenerator<Row> {
  await client.query(`declare taken no scroll cursor for ${query}`, values);
  for (;;) {
    const rows = await rowsOf<Row>(client, 'fetch 1000 from taken');
    yield* rows;
    if (rows.length < 1_000) break;
  }
  await client.query('close taken');
}
