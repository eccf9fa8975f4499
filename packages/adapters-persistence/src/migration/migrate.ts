import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Timestamp } from '@campaign-mirror/domain';
import type { Transaction } from '@mikro-orm/core';
import type { Pool } from 'pg';
import { type Database, openDatabase } from '../connection/database.ts';
import { isAbsent, isLocked } from '../connection/database-faults.ts';
import type { DatabaseAddress } from '../connection/pool.ts';
import { rowOf, rowsOf } from '../connection/rows.ts';
import { isolationLevel, withoutTimeouts } from '../connection/transaction.ts';
import { functions, grants, migrationNames, missingText, tableNames } from '../schema/schema.ts';
import { timestampText } from '../schema/times.ts';

/**
 * How long a migration may block others, in milliseconds. Sessions that request a lock later wait as long as its
 * timeout, which is above PostgreSQL's `deadlock_timeout`, after which an autovacuum yields, and below the time that
 * the service waits for a connection. In the pause, those sessions proceed.
 */
const usualRetries = { lockTimeout: 2_000, pause: 1_000, tries: 20 };

/** How a migration waits, and when it gives up. */
export interface Migrating {
  /** Receives a line that says whom the migration waits for. */
  readonly onWait?: (line: string) => void;
  readonly givenUp?: AbortSignal;
  /** Whether only rights are given, and nothing is locked, if the schema is of this version and nothing is missing. */
  readonly ifNeeded?: boolean;
  readonly retries?: Partial<typeof usualRetries>;
}

/** One connection migrates, and one makes the table of migrations, or looks for who holds locks. */
const unhurried = { size: 2, waitTimeout: 10_000, statementTimeout: 0, queryTimeout: 0 };

/**
 * Brings the tables up to date, makes functions and triggers, and gives the roles that exist their rights: all of it, or
 * nothing. Resolves with what was missing or disabled before. Several processes take turns. Locks are awaited in
 * short attempts, because others wait behind a waiting migration.
 * @throws what the driver throws: the database is unavailable, the role lacks a right or is not the owner (42501), the
 *   tables are not those of a released version (42P07) or some were dropped (42P01, 42710), another transaction keeps
 *   holding a lock (55P03); the reason of `givenUp`: then nothing was done
 */
export async function migrate(
  address: DatabaseAddress,
  { onWait = () => {}, givenUp, ifNeeded = false, retries }: Migrating = {},
): Promise<string[]> {
  const { lockTimeout, tries, pause: betweenTries } = { ...usualRetries, ...retries };
  const database = await openDatabase(address, unhurried, 'campaign-mirror migrations');
  // Without the connection, the server rolls back.
  const cutOff = () => void database.close(0);
  let isCommitting = false;
  const beforeCommit = () => {
    givenUp?.throwIfAborted();
    // A running commit cannot be reported as not done: its end is awaited.
    isCommitting = true;
    givenUp?.removeEventListener('abort', cutOff);
  };
  givenUp?.addEventListener('abort', cutOff);
  try {
    for (let next = 2; ; next++) {
      try {
        givenUp?.throwIfAborted();
        return await bringUpToDate(database, lockTimeout, ifNeeded, beforeCommit);
      } catch (error) {
        if (givenUp?.aborted && !isCommitting) throw givenUp.reason;
        if (!isLocked(error) || next > tries) throw error;
      }
      const [holder] = await rowsOf<{ who: string }>(database.pool, holderText).catch(() => []);
      const what = `${holder?.who ?? 'another transaction'} holds what the migration has to change`;
      onWait(`${what}: trying again (${next} of ${tries})`);
      await pause(betweenTries, undefined, { signal: givenUp }).catch(() => {});
    }
  } finally {
    givenUp?.removeEventListener('abort', cutOff);
    await database.close();
  }
}

/** The advisory lock that allows one process at a time in a database; chosen arbitrarily. */
const turnLock = 7_236_110_421;

/** Who has held a lock on the schema for longest, or migrates. A prepared transaction has no process. */
const holderText = `
  select format('process %s (%s of %s)', pid, coalesce(nullif(application_name, ''), 'unnamed'), usename) as who
  from pg_stat_activity where datname = current_database() and pid in (
    select pid from pg_locks left join pg_class on pg_class.oid = relation
    where granted and (relnamespace = to_regnamespace('campaign_mirror')
      or locktype = 'advisory' and (classid::bigint << 32) + objid::bigint = ${turnLock}))
  order by xact_start limit 1`;

const tables = tableNames.map((name) => `campaign_mirror.${name}`);

/** In the order in which writers lock them; in another one, a writer could deadlock with the migration. */
const keepWritersOut = `lock table ${tables.join(', ')} in share row exclusive mode`;

/** Says which text of functions and triggers was applied last. */
const version = `Campaign Mirror ${hash('md5', functions)}`;

/** A row if that text was applied, and no change of another server came since then. */
const isDone = `
  select 1 where obj_description('campaign_mirror'::regnamespace) = ?
    and not exists (select from campaign_mirror.transactions_ahead)`;

/** All of it, or nothing, except that the schema and the table of migrations stay. */
function bringUpToDate({ orm }: Database, lockTimeout: number, ifNeeded: boolean, beforeCommit: () => void) {
  const connection = orm.em.getConnection();
  const migrateIn = async (transaction: Transaction): Promise<string[]> => {
    const run = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
      connection.execute(text, values, 'all', transaction);
    await run(`${withoutTimeouts}; set local lock_timeout = ${lockTimeout}`);
    await run(`select pg_advisory_xact_lock(${turnLock})`);
    // Creates the schema and the table of migrations, on a connection of its own.
    const executed = (await orm.migrator.getExecuted()).map(({ name }) => name);
    const isNew = !migrationNames.every((name) => executed.includes(name));
    // A newer version made all that there is.
    if (!isNew && executed.length > migrationNames.length) return [];
    const findings = isNew ? [] : await run<{ finding: string }>(missingText);
    const isKept = ifNeeded && !isNew && findings.length === 0 && (await run(isDone, [version])).length > 0;
    // Only the owner may: PostgreSQL does no more than warn of rights that a role grants and may not grant.
    await run(`comment on schema campaign_mirror is '${version}'`);
    if (!isKept) {
      if (executed.length > 0) await run(keepWritersOut);
      await orm.migrator.up({ transaction });
      await run(functions);
    }
    await run(grants);
    beforeCommit();
    return findings.map(({ finding }) => finding);
  };
  return connection.transactional(migrateIn, { isolationLevel });
}

/** A migration, and whether the database has it. */
export interface MigrationState {
  readonly name: string;
  /** Unknown: another version applied it, a newer one if those of this version are applied. */
  readonly state: 'applied' | 'pending' | 'unknown';
  readonly appliedAt: Timestamp | null;
}

const recordText = `
  select name, ${timestampText('executed_at')} as at from campaign_mirror.migrations order by name`;

/**
 * Every migration of this version in order, then those of others.
 * @throws Unavailable, or the driver's 42501: only the operator and the owner may read all of the record
 */
export async function migrationStates(pool: Pool): Promise<MigrationState[]> {
  const rows = await rowsOf<{ name: string; at: Timestamp }>(pool, recordText).catch((error) => {
    if (!isAbsent(error)) throw error;
    return [];
  });
  const applied = new Map(rows.map((row) => [row.name, row.at]));
  return [...new Set([...migrationNames, ...applied.keys()])].map((name) => {
    const ofThisVersion = applied.has(name) ? 'applied' : 'pending';
    const state = migrationNames.includes(name) ? ofThisVersion : 'unknown';
    return { name, state, appliedAt: applied.get(name) ?? null };
  });
}

/** Whether every migration of this version was applied. @throws as `migrationStates` */
export const isMigrated = async (pool: Pool): Promise<boolean> =>
  (await migrationStates(pool)).every(({ state }) => state !== 'pending');

const emptyText = `select ${tables.map((table) => `not exists (select from ${table})`).join(' and ')} as empty`;

/** Whether there is no row, and never was one: history and audit outlive what they describe. @throws Unavailable */
export const isEmpty = async (pool: Pool): Promise<boolean> =>
  (await rowOf<{ empty: boolean }>(pool, emptyText)).empty;
