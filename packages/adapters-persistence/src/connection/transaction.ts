import type { OperatorAct } from '@campaign-mirror/domain/operator';
import { type EntityManager, IsolationLevel, type MikroORM } from '@mikro-orm/postgresql';
import type { ClientBase, Pool, PoolClient, QueryResultRow } from 'pg';
import { portFault, throwFault } from './database-faults.ts';
import { connectionOf } from './pool.ts';
import { rowsOf } from './rows.ts';

/** After a wait for a lock, a transaction must see the other one's commit. The default of the database may differ. */
export const { READ_COMMITTED: isolationLevel } = IsolationLevel;

/** Reads from one snapshot. @throws Unavailable */
export const readSnapshot = <T>(orm: MikroORM, read: (em: EntityManager) => Promise<T>): Promise<T> =>
  orm.em
    .fork()
    .transactional(read, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true })
    .catch(throwFault);

/** The database records the acts of this adapter in the audit. */
export abstract class AuditedAdapter {
  protected readonly orm: MikroORM;
  readonly #variables: Readonly<Record<string, string>>;

  /** `orm` is that of `openDatabase`. */
  constructor(orm: MikroORM, { operator, requestId }: OperatorAct) {
    this.orm = orm;
    this.#variables = { 'campaign_mirror.operator': operator, 'campaign_mirror.request_id': requestId };
  }

  /** Runs an act in one transaction, with its audit entry. @throws Unavailable: then the outcome is unknown */
  protected audited<T>(run: (em: EntityManager) => Promise<T>): Promise<T> {
    const em = this.orm.em.fork({ session: { variables: this.#variables } });
    return em.transactional(run, { isolationLevel }).catch(throwFault);
  }
}

/** For long work. After the loss of the client, the server ends a statement within 0.5 s if its system allows. */
export const withoutTimeouts = `
  set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  select set_config(name, case name when 'transaction_timeout' then '0' else '500ms' end, true) from pg_settings
  where name = 'transaction_timeout' or name = 'client_connection_check_interval' and version() ~ 'linux|darwin|bsd'`;

/** Until `release`, `signal` closes the connection, so the server rolls back. `faultOf` then returns its reason. */
function cutBy(signal: AbortSignal | undefined, client: ClientBase) {
  let isCut = false;
  const cut = () => {
    isCut = true;
    connectionOf(client).stream.destroy();
  };
  signal?.addEventListener('abort', cut);
  if (signal?.aborted) cut();
  return {
    release: () => signal?.removeEventListener('abort', cut),
    faultOf: (error: unknown): unknown => (isCut ? signal?.reason : portFault(error)),
  };
}

export const connectTo = (pool: Pool) => pool.connect().catch(throwFault);

/**
 * Runs statements in one transaction at READ COMMITTED. `settings` are statements that apply to the transaction.
 * @throws Unavailable when the connection is lost: whether it was committed is then unknown; the reason of `signal`
 */
export async function inTransaction<T>(
  pool: Pool,
  run: (client: PoolClient) => Promise<T>,
  settings = '',
  signal?: AbortSignal,
): Promise<T> {
  const client = await connectTo(pool);
  const { release, faultOf } = cutBy(signal, client);
  let isDone = false;
  try {
    await client.query(`begin isolation level read committed; ${settings}`);
    const result = await run(client);
    // Nothing interrupts the commit.
    release();
    await client.query('commit');
    isDone = true;
    return result;
  } catch (error) {
    throw faultOf(error);
  } finally {
    release();
    // Closing rolls back at once; a `rollback` would wait for the running statement.
    client.release(!isDone);
  }
}

/**
 * Streams the rows of `read` from one snapshot, at the speed of the consumer. A consumer that stops releases the
 * connection. @throws Unavailable; the reason of `signal`
 */
export async function* streamSnapshot<T>(
  pool: Pool,
  signal: AbortSignal | undefined,
  read: (client: PoolClient) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const client = await connectTo(pool);
  const { release, faultOf } = cutBy(signal, client);
  try {
    await client.query(`begin isolation level repeatable read read only; ${withoutTimeouts}`);
    yield* read(client);
  } catch (error) {
    throw faultOf(error);
  } finally {
    release();
    client.release(true);
  }
}

/** The rows of a statement, by a cursor. One at a time may be open on a connection. */
export async function* cursorRows<Row extends QueryResultRow>(
  client: PoolClient,
  query: string,
  values: unknown[] = [],
): AsyncGenerator<Row> {
  await client.query(`declare streamed no scroll cursor for ${query}`, values);
  let rows: Row[];
  do {
    rows = await rowsOf<Row>(client, 'fetch 1000 from streamed');
    yield* rows;
  } while (rows.length === 1_000);
  await client.query('close streamed');
}
