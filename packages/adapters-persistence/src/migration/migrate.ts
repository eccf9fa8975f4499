import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Timestamp } from '@campaign-mirror/domain';
import type { Transaction } from '@mikro-orm/core';
import type { Pool } from 'pg';
import { isLocked } from '../connection/database-faults.ts';
import { type Database, openDatabase } from '../connection/open-database.ts';
import type { DatabaseAddress } from '../connection/pool.ts';
import { rowsOf } from '../connection/rows.ts';
import { isolationLevel, withoutTimeouts } from '../connection/transaction.ts';
import * as texts from '../schema/schema.ts';
import { timestampText } from '../schema/stored-values.ts';

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
  /** Who migrates, for the audit: the database's user unless it is given. */
  readonly operator?: string;
}

/** One connection migrates, and one makes the table of migrations, or looks for who holds locks. */
const unhurried = { size: 2, waitTimeout: 10_000, statementTimeout: 0, queryTimeout: 0 };

/** What a migration did. */
export interface Migrated {
  /** Made: there was none before. Newer: a newer version made it, so nothing was done. */
  readonly schema: 'made' | 'migrated' | 'newer';
  readonly migrations: readonly string[];
  /** Functions and triggers that were missing, disabled or different: `trigger record on campaigns`. */
  readonly madeAgain: readonly string[];
  /** Whether the rights of a role were others. */
  readonly rights: boolean;
  /** If the database came from a dump or another server, when its newest change and entry were made. */
  readonly restored: Readonly<Record<'newestChangeAt' | 'newestEntryAt', Timestamp | null>> | null;
}

/**
 * Brings the tables up to date, makes functions and triggers, and gives the roles that exist their rights:
 * all of it, or nothing. If this changes anything, the audit has it, unless it is empty. Several processes
 * take turns. Locks are awaited in short attempts, because others wait behind a waiting migration.
 * @throws what the driver throws: the database is unavailable, the role lacks a right or is not the owner (42501), the
 *   tables are not those of a released version (42P07) or some were dropped (42P01, 42710), another transaction keeps
 *   holding a lock (55P03); the reason of `givenUp`: then nothing was done
 */
export async function migrate(
  address: DatabaseAddress,
  { onWait = () => {}, givenUp, retries, ...how }: Migrating = {},
): Promise<Migrated> {
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
        return await bringUpToDate(database, lockTimeout, beforeCommit, how);
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

/** In the order in which writers lock them; in another one, a writer could deadlock with the migration. */
const tables = texts.tableNames.map((name) => `campaign_mirror.${name}`).join(', ');
const keepWritersOut = `lock table ${tables} in share row exclusive mode`;

/** Says which text of functions and triggers was applied last. */
const version = `Campaign Mirror ${hash('md5', texts.functions)}`;

const newestText = `
  select (select ${timestampText('changed_at')} from campaign_mirror.mirror_history order by id desc limit 1)
      as "newestChangeAt",
    (select ${timestampText('acted_at')} from campaign_mirror.operator_audit order by id desc limit 1)
      as "newestEntryAt"`;

/** An empty audit stays empty: logical replication into a new schema brings entries numbered from 1 up. */
const noteText = `
  insert into campaign_mirror.operator_audit (act, operator, request_id, details)
  select 'schema-migrated', coalesce(nullif(?, ''), session_user), 'operator-' || gen_random_uuid(), ?::jsonb
  where exists (select from campaign_mirror.operator_audit)`;

/** All of it, or nothing, except that the schema and the table of migrations stay. */
function bringUpToDate({ orm }: Database, lockTimeout: number, beforeCommit: () => void, how: Migrating) {
  const connection = orm.em.getConnection();
  const migrateIn = async (transaction: Transaction): Promise<Migrated> => {
    const run = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
      connection.execute(text, values, 'all', transaction);
    await run(`${withoutTimeouts}; set local lock_timeout = ${lockTimeout}`);
    await run(`select pg_advisory_xact_lock(${turnLock})`);
    // Creates the schema and the table of migrations, on a connection of its own.
    const executed = (await orm.migrator.getExecuted()).map(({ name }) => name);
    const migrations = texts.migrationNames.filter((name) => !executed.includes(name));
    if (migrations.length === 0 && executed.length > texts.migrationNames.length)
      return { schema: 'newer', migrations, madeAgain: [], rights: false, restored: null };
    const [here] = await run<{ comment: string; place: string; moved: boolean }>(texts.locationText);
    const comment = `${version} in ${here?.place}`;
    let isKept = how.ifNeeded && migrations.length === 0 && here?.comment === comment;
    for (const amiss of [texts.missingPartsText, 'select from campaign_mirror.transactions_ahead'])
      isKept &&= (await run(amiss)).length === 0;
    const [restored = null] = here?.moved ? await run<NonNullable<Migrated['restored']>>(newestText) : [];
    const before = new Set((await run<object>(texts.definitionsText)).map((part) => JSON.stringify(part)));
    // Only the owner may: PostgreSQL does no more than warn of rights that a role grants and may not grant.
    await run(`comment on schema campaign_mirror is '${comment}'`);
    if (!isKept) {
      if (executed.length > 0) await run(keepWritersOut);
      await orm.migrator.up({ transaction });
      await run(texts.functions);
    }
    await run(texts.grants);
    const parts = await run<{ part: string }>(texts.definitionsText);
    const changed = parts.filter((one) => !before.has(JSON.stringify(one))).map(({ part }) => part);
    const rights = changed.includes('rights');
    const madeAgain = migrations.length > 0 ? [] : changed.filter((part) => part !== 'rights');
    const schema = executed.length === 0 ? 'made' : 'migrated';
    const [applied, made_again] = [migrations, madeAgain].map((names) => names.join(', ') || null);
    const details = { migrations: applied, made_again, rights, restored: restored !== null };
    if (changed.length > 0 || restored) await run(noteText, [how.operator ?? '', JSON.stringify(details)]);
    beforeCommit();
    return { schema, migrations, madeAgain, rights, restored };
  };
  return connection.transactional(migrateIn, { isolationLevel });
}

/** Whether nobody ever did anything here: the audit outlives what it describes. @throws Unavailable */
export const isEmpty = async (pool: Pool): Promise<boolean> =>
  (await rowsOf(pool, 'select from campaign_mirror.operator_audit limit 1')).length === 0;
