import { setTimeout as pause } from 'node:timers/promises';
import pg, { type PoolClient } from 'pg';
import { migrationNames, missingPartsText } from '../schema/schema.ts';
import { isExpiringWithin } from '../schema/stored-values.ts';
import { codeOf, isAbsent, isForbidden, isFull } from './database-faults.ts';
import { Client, type DatabaseAddress, poolOptions, preparePool } from './pool.ts';
import { rowOf } from './rows.ts';

type Check = 'writable' | 'migrations' | 'sequences' | 'transactions' | 'schema';

/** Whether the service can work on the database. Unknown fields are left out. */
export type DatabaseState = { readonly database: boolean } & { readonly [Name in Check]?: boolean };

type StateRow = Record<Check, boolean> & { readonly history_rows: number | null };

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

/** Codes and messages of a failed login after which the next login may succeed. */
const transientFault = /^(53300|57P03|EAI_AGAIN|ETIMEDOUT)|timeout/;

/** In milliseconds. */
const loginInterval = 15_000;

export type DatabaseProbe = ReturnType<typeof openProbe>;

/**
 * Uses its own connection, because load may occupy the service's pool. Every 15 s it also tries a new login, because a
 * changed password, CA or right does not end a session: if the login is refused, the session is closed. `timeout` is in
 * milliseconds and includes the time to connect.
 */
export function openProbe(address: DatabaseAddress, timeout: number) {
  const limits = { size: 1, waitTimeout: timeout, statementTimeout: timeout, queryTimeout: timeout };
  const pool = new pg.Pool(poolOptions(address, limits, 'campaign-mirror readiness'));
  const close = preparePool(pool, () => pool.end());
  const ignore = () => {};
  pool.on('error', ignore);
  let loginAt = 0;
  let isRefused = false;
  pool.on('connect', (client) => {
    loginAt = performance.now();
    isRefused = false;
    client.on('error', ignore);
  });
  const tryLogin = async () => {
    if (performance.now() < loginAt + loginInterval) return;
    loginAt = performance.now();
    const client = new Client(pool.options).on('error', ignore);
    await client.connect().then(
      () => client.end(),
      (error) => {
        isRefused = !transientFault.test(`${codeOf(error)} ${error.message}`);
      },
    );
  };

  let historyRows: number | undefined;
  const read = async (): Promise<DatabaseState> => {
    let client: PoolClient | undefined;
    let isUsable = false;
    try {
      client = await pool.connect();
      void tryLogin();
      const { history_rows, ...state } = await rowOf<StateRow>(client, stateText, [migrationNames]);
      // -1 means that the rows were never counted.
      if (history_rows !== null && history_rows >= 0) historyRows = history_rows;
      isUsable = state.writable;
      return { database: true, ...state };
    } catch (error) {
      // The service keeps the connections that it has.
      if (isFull(error)) return { database: true };
      // Every role may read the table of migrations.
      if (isAbsent(error) || isForbidden(error)) return { database: true, migrations: false };
      return { database: false };
    } finally {
      // A read-only session may stay read-only forever.
      client?.release(!isUsable || isRefused);
    }
  };
  const inTime = <T, Late>(answer: Promise<T>, late: Late) =>
    Promise.race([answer, pause(timeout, late, { ref: false })]);
  return {
    /** Never rejects. */
    ask: () => inTime<DatabaseState, DatabaseState>(read(), { database: false }),
    /** PostgreSQL's estimate of the rows of the history; undefined before its first vacuum or analyze. */
    get historyRows() {
      return historyRows;
    },
    /** The number of keys that expire within 14 days, neither revoked nor replaced; undefined if unknown. */
    expiringKeys: async () => {
      const counted = rowOf<{ count: number }>(pool, expiringText).catch(() => undefined);
      return (await inTime(counted, undefined))?.count;
    },
    close: async () => void (await close(0)),
  };
}
