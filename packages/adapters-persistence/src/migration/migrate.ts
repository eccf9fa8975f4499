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
import { grants } from '../schema/role-rights.ts';
import * as texts from '../schema/schema.ts';
import { timestampText } from '../schema/stored-values.ts';

/**
 * In milliseconds. Other sessions queue behind a waiting migration until its lock timeout, and proceed in the pause.
 * The timeout is above `deadlock_timeout`, after which an autovacuum yields, and below the service's wait for a
 * connection.
 */
const defaultRetries = { lockTimeout: 2_000, pause: 1_000, tries: 20 };

/** How a migration waits for locks, and when it gives up. */
export interface Migrating {
  /** Receives a line that says whom the migration waits for. */
  readonly onWait?: (line: string) => void;
  readonly givenUp?: AbortSignal;
  /** Only grants rights, without locks, if the schema is of this version and complete. */
  readonly ifNeeded?: boolean;
  readonly retries?: Partial<typeof defaultRetries>;
  /** The operator in the audit; by default, the database's user. */
  readonly operator?: string;
}

/** One connection migrates; the other creates the table of migrations, and finds out who holds locks. */
const poolLimits = { size: 2, waitTimeout: 10_000, statementTimeout: 0, queryTimeout: 0 };

/** What a migration did. */
export interface Migrated {
  /** Made: there was none before. Newer: a newer version made it, and nothing was done. */
  readonly schema: 'made' | 'migrated' | 'newer';
  readonly migrations: readonly string[];
  /** Functions and triggers that were missing, disabled or different: `trigger record on campaigns`. */
  readonly madeAgain: readonly string[];
  /** Whether the rights of a role changed. */
  readonly rights: boolean;
  /** If the database came from a dump or another server, the times of its newest change and audit entry. */
  readonly restored: Readonly<Record<'newestChangeAt' | 'newestEntryAt', Timestamp | null>> | null;
}

/**
 * Migrates the tables, replaces functions and triggers, and grants the existing roles their rights: all or nothing. A
 * change is recorded in the audit, unless the audit is empty. Processes migrate one after the other. An attempt waits
 * only a short time for locks, because other sessions queue behind it.
 * @throws errors of the driver: the database is unavailable, the role lacks a right or is not the owner (42501), the
 *   tables are not of a released version (42P07) or were dropped (42P01, 42710), another transaction keeps a lock
 *   (55P03); the reason of `givenUp`: then nothing was done
 */
export async function migrate(
  address: DatabaseAddress,
  { onWait = () => {}, givenUp, retries, ...options }: Migrating = {},
): Promise<Migrated> {
  const { lockTimeout, tries, pause: pauseTime } = { ...defaultRetries, ...retries };
  const database = await openDatabase(address, poolLimits, 'campaign-mirror migrations');
  const disconnect = () => void database.close(0);
  let isCommitting = false;
  const beforeCommit = () => {
    givenUp?.throwIfAborted();
    // From here on, an abort does not stop the commit.
    isCommitting = true;
    givenUp?.removeEventListener('abort', disconnect);
  };
  givenUp?.addEventListener('abort', disconnect);
  try {
    for (let next = 2; ; next++) {
      try {
        givenUp?.throwIfAborted();
        return await attempt(database, lockTimeout, beforeCommit, options);
      } catch (error) {
        if (givenUp?.aborted && !isCommitting) throw givenUp.reason;
        if (!isLocked(error) || next > tries) throw error;
      }
      const [holder] = await rowsOf<{ who: string }>(database.pool, holderText).catch(() => []);
      const what = `${holder?.who ?? 'another transaction'} holds a lock that the migration needs`;
      onWait(`${what}: trying again (${next} of ${tries})`);
      await pause(pauseTime, undefined, { signal: givenUp }).catch(() => {});
    }
  } finally {
    givenUp?.removeEventListener('abort', disconnect);
    await database.close();
  }
}

/** The number of an advisory lock, chosen arbitrarily. */
const migrationLock = 7_236_110_421;

/** The oldest session that holds a lock on the schema, or migrates. A prepared transaction has no session. */
const holderText = `
  select format('process %s (%s of %s)', pid, coalesce(nullif(application_name, ''), 'unnamed'), usename) as who
  from pg_stat_activity where datname = current_database() and pid in (
    select pid from pg_locks left join pg_class on pg_class.oid = relation
    where granted and (relnamespace = to_regnamespace('campaign_mirror')
      or locktype = 'advisory' and (classid::bigint << 32) + objid::bigint = ${migrationLock}))
  order by xact_start limit 1`;

/** Excludes writers. The order of the tables is that of the writers, which prevents deadlocks. */
const tables = texts.tableNames.map((name) => `campaign_mirror.${name}`).join(', ');
const lockTables = `lock table ${tables} in share row exclusive mode`;

/** The comment of the schema identifies the functions that were applied last. */
const version = `Campaign Mirror ${hash('md5', texts.functions)}`;

const newestText = `
  select (select ${timestampText('changed_at')} from campaign_mirror.mirror_history order by id desc limit 1)
      as "newestChangeAt",
    (select ${timestampText('acted_at')} from campaign_mirror.operator_audit order by id desc limit 1)
      as "newestEntryAt"`;

/** An empty audit stays empty, because logical replication may copy entries with the first numbers into it. */
const recordText = `
  insert into campaign_mirror.operator_audit (act, operator, request_id, details)
  select 'schema-migrated', coalesce(nullif(?, ''), session_user), 'operator-' || gen_random_uuid(), ?::jsonb
  where exists (select from campaign_mirror.operator_audit)`;

/** Migrates all or nothing. The schema and the table of migrations stay in any case. */
function attempt({ orm }: Database, lockTimeout: number, beforeCommit: () => void, options: Migrating) {
  const connection = orm.em.getConnection();
  const migrateIn = async (transaction: Transaction): Promise<Migrated> => {
    const run = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
      connection.execute(text, values, 'all', transaction);
    await run(`${withoutTimeouts}; set local lock_timeout = ${lockTimeout}`);
    await run(`select pg_advisory_xact_lock(${migrationLock})`);
    // Creates the schema and the table of migrations, on the other connection.
    const executed = (await orm.migrator.getExecuted()).map(({ name }) => name);
    const migrations = texts.migrationNames.filter((name) => !executed.includes(name));
    if (migrations.length === 0 && executed.length > texts.migrationNames.length)
      return { schema: 'newer', migrations, madeAgain: [], rights: false, restored: null };
    const [here] = await run<{ comment: string; location: string; moved: boolean }>(texts.locationText);
    const comment = `${version} in ${here?.location}`;
    let isComplete = options.ifNeeded && migrations.length === 0 && here?.comment === comment;
    for (const findings of [texts.missingPartsText, 'select from campaign_mirror.transactions_ahead'])
      isComplete &&= (await run(findings)).length === 0;
    const [restored = null] = here?.moved ? await run<NonNullable<Migrated['restored']>>(newestText) : [];
    const before = new Set((await run<object>(texts.definitionsText)).map((part) => JSON.stringify(part)));
    // Fails unless the role is the owner: `grant` would only warn.
    await run(`comment on schema campaign_mirror is '${comment}'`);
    if (!isComplete) {
      if (executed.length > 0) await run(lockTables);
      await orm.migrator.up({ transaction });
      await run(texts.functions);
    }
    await run(grants);
    const definitions = await run<{ part: string }>(texts.definitionsText);
    const changed = definitions.filter((one) => !before.has(JSON.stringify(one))).map(({ part }) => part);
    const rights = changed.includes('rights');
    const madeAgain = migrations.length > 0 ? [] : changed.filter((part) => part !== 'rights');
    const schema = executed.length === 0 ? 'made' : 'migrated';
    const [applied, made_again] = [migrations, madeAgain].map((names) => names.join(', ') || null);
    const details = { migrations: applied, made_again, rights, restored: restored !== null };
    if (changed.length > 0 || restored)
      await run(recordText, [options.operator ?? '', JSON.stringify(details)]);
    beforeCommit();
    return { schema, migrations, madeAgain, rights, restored };
  };
  return connection.transactional(migrateIn, { isolationLevel });
}

/** Whether no act was ever recorded here. @throws Unavailable */
export const isEmpty = async (pool: Pool): Promise<boolean> =>
  (await rowsOf(pool, 'select from campaign_mirror.operator_audit limit 1')).length === 0;
