import pg, { type PoolClient } from 'pg';
import { isExpiringWithin } from '../schema/keys.ts';
import { migrationNames, missingPartsText } from '../schema/schema.ts';
import { codeOf, isAbsent, isForbidden, isFull } from './database-faults.ts';
import { Client, closing, type DatabaseAddress, poolOptions, withTimeLimit } from './pool.ts';
import { rowOf } from './rows.ts';

/** Whether the service can work on the database. What could not be determined is left out. */
export interface DatabaseState {
  readonly database: boolean;
  /** It is neither a standby nor read only. */
  readonly writable?: boolean;
  /** It has every migration of this version; those of a newer one are accepted. */
  readonly migrations?: boolean;
  /** The numbers of the history continue: its sequence is not behind the table. */
  readonly sequences?: boolean;
  /** No change comes from another server's transaction that lies ahead: the feed gives each change once. */
  readonly transactions?: boolean;
  /** Nothing without which a promise is broken is missing or disabled. */
  readonly schema?: boolean;
}

type StateRow = Required<Omit<DatabaseState, 'database'>> & { readonly history_rows: number | null };

const stateText = `
  select current_setting('transaction_read_only') = 'off' as writable,
    $1::text[] <@ array(select name::text from campaign_mirror.migrations) as migrations,
    not exists (
      select from campaign_mirror.sequences_behind where sequence = 'mirror_history_id_seq') as sequences,
    not exists (select from campaign_mirror.transactions_ahead) as transactions,
    not exists (${missingPartsText}) as schema,
    (select reltuples from pg_class where oid = to_regclass('campaign_mirror.mirror_history')) as history_rows`;

const expiringText = `
  select count(*) from campaign_mirror.access_keys where ${isExpiringWithin("interval '14 days'")}`;

/** Codes and messages of a failed attempt to connect that say nothing of the next one, nor of open sessions. */
const passing = /^(53300|57P03|EAI_AGAIN|ETIMEDOUT)|timeout/;

/** How long a session that was let in says that another one would be, in milliseconds. */
const entryAge = 15_000;

/** Asks a database whether it answers and is set up. */
export type DatabaseProbe = ReturnType<typeof openProbe>;

/**
 * On a connection of its own, since the load may use all of the service's pool. Every 15 s another connection is tried
 * beside it, because a changed password, CA or right does not end a session: if it is refused, the session is given up;
 * if it is late, as under load, that says nothing. An answer may take `timeout` milliseconds, with the time to connect.
 */
export function openProbe(address: DatabaseAddress, timeout: number) {
  const limits = { size: 1, waitTimeout: timeout, statementTimeout: timeout, queryTimeout: timeout };
  const pool = new pg.Pool(poolOptions(address, limits, 'campaign-mirror readiness'));
  const close = closing(pool, () => pool.end());
  // The next statement reports why a connection ended.
  const ignore = () => {};
  pool.on('error', ignore);
  let enteredAt = 0;
  let isRefused = false;
  pool.on('connect', (client) => {
    enteredAt = performance.now();
    isRefused = false;
    client.on('error', ignore);
  });
  const tryToEnter = async () => {
    if (performance.now() < enteredAt + entryAge) return;
    enteredAt = performance.now();
    const visitor = new Client(pool.options).on('error', ignore);
    await visitor.connect().then(
      () => visitor.end(),
      (error) => {
        isRefused = !passing.test(`${codeOf(error)} ${error.message}`);
      },
    );
  };

  let historyRows: number | undefined;
  const read = async (): Promise<DatabaseState> => {
    let client: PoolClient | undefined;
    let isUsable = false;
    try {
      client = await pool.connect();
      void tryToEnter();
      const { history_rows, ...state } = await rowOf<StateRow>(client, stateText, [migrationNames]);
      // -1 means that the rows were never counted.
      if (history_rows !== null && history_rows >= 0) historyRows = history_rows;
      isUsable = state.writable;
      return { database: true, ...state };
    } catch (error) {
      // The service works on the connections that it has.
      if (isFull(error)) return { database: true };
      // Every role of this schema may read the table of migrations.
      if (isAbsent(error) || isForbidden(error)) return { database: true, migrations: false };
      return { database: false };
    } finally {
      // A session keeps the default with which it began: one that takes no writes may take none forever.
      client?.release(!isUsable || isRefused);
    }
  };
  return {
    /** Only reads. Never rejects. The pool's timeouts apply to the connection and to the answer separately. */
    ask: () => withTimeLimit<DatabaseState, DatabaseState>(timeout, read(), { database: false }),
    /** PostgreSQL's estimate of the rows of the history, of its last vacuum or analyze; undefined before the first. */
    get historyRows() {
      return historyRows;
    },
    /** The keys that expire within 14 days, neither revoked nor replaced; undefined if they cannot be counted. */
    expiringKeys: async () => {
      const counted = rowOf<{ count: number }>(pool, expiringText).catch(() => undefined);
      return (await withTimeLimit(timeout, counted))?.count;
    },
    close: async () => void (await close(0)),
  };
}
