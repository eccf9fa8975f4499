import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { isolationLevel } from '../connection/audited.ts';
import { type Database, openDatabase } from '../connection/database.ts';
import { isLocked } from '../connection/database-faults.ts';
import { type DatabaseAddress, UnfitDatabase } from '../connection/pool.ts';
import { withoutTimeouts } from '../connection/stoppable.ts';
import { grantTexts, revokeFromPublic } from '../schema/grants.ts';
import { migrationNames, roles, schema } from '../schema/schema.ts';
import { tableNames } from '../schema/tables.ts';
import { enforcementFaults } from './enforcement.ts';

/**
 * How long a migration may block others, in milliseconds. The timeout of a lock, for which sessions that request it later
 * wait as long, is above PostgreSQL's `deadlock_timeout`, after which an autovacuum yields, and below the time that the
 * service waits for a connection, so that it continues to answer. In the pause, those sessions proceed.
 */
const usualRetries = { lockTimeout: 2_000, pause: 1_000, tries: 10 };

export interface Migrating {
  /** Receives a line that says what the migration waits for: its turn, or locks of other transactions. */
  readonly onWait?: (line: string) => void;
  readonly givenUp?: AbortSignal;
  readonly retries?: typeof usualRetries;
  /** How long to wait for a running commit after cancellation, in milliseconds. */
  readonly commitWait?: number;
}

/**
 * Two connections: one migrates, and one looks for those that hold locks. One more for each try, because MikroORM never
 * releases a connection that ended before its rollback. Statements have no time limit.
 */
const unhurried = { size: 2 + usualRetries.tries, waitTimeout: 10_000, statementTimeout: 0, queryTimeout: 0 };
const applicationName = 'campaign-mirror migrations';

const unanswered = 'the commit of the migration was not answered: it is unknown whether it was done';

/**
 * Brings the schema up to date and grants the rights of the roles that exist: all of it, or nothing. Several processes
 * may do so at once: they take turns, and the later ones find nothing to do. Locks are awaited in short attempts,
 * because others wait behind a waiting migration.
 * @throws what the driver throws: the database is unavailable, the role lacks a right or is not the owner (42501),
 *   another transaction keeps holding a lock (55P03); UnfitDatabase; the reason of `givenUp`: then nothing was done;
 *   Unavailable when it was canceled during the commit and the server does not answer
 */
export async function migrate(
  address: DatabaseAddress,
  { onWait = () => {}, givenUp, retries = usualRetries, commitWait = 5_000 }: Migrating = {},
): Promise<void> {
  const { lockTimeout, tries } = retries;
  const database = await openDatabase(address, unhurried, applicationName);
  let committing = false;
  // Without the connection, the server rolls back. A running commit cannot be reported as not done: its end is awaited.
  const cutOff = () => void database.close(committing ? commitWait : 0);
  givenUp?.addEventListener('abort', cutOff);
  const beforeCommit = () => {
    givenUp?.throwIfAborted();
    committing = true;
  };
  try {
    for (let next = 2; ; next++) {
      givenUp?.throwIfAborted();
      committing = false;
      let holders = 'another transaction';
      const look = async () => {
        holders = await lockHolders(database.pool).catch(() => holders);
      };
      const looking = setTimeout(look, lockTimeout / 2);
      try {
        return await bringUpToDate(database, lockTimeout, onWait, beforeCommit);
      } catch (error) {
        if (!isLocked(error) || next > tries) throw error;
      } finally {
        clearTimeout(looking);
      }
      onWait(`${holders} holds what the migration has to change: trying again (${next} of ${tries})`);
      await pause(retries.pause, undefined, { signal: givenUp });
    }
  } catch (error) {
    if (!givenUp?.aborted) throw error;
    throw committing ? new Unavailable(unanswered) : givenUp.reason;
  } finally {
    givenUp?.removeEventListener('abort', cutOff);
    await database.close();
  }
}

/**
 * The processes that hold the locks for which migrations of this database wait, except other migrations, such as
 * `process 4711 (pg_dump of somebody)`.
 */
async function lockHolders(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ holders: string | null }>(
    `select string_agg(format('process %s (%s)', pid,
        concat_ws(' of ', coalesce(nullif(application_name, ''), 'unnamed'), usename)), ', ') as holders
    from pg_stat_activity where application_name <> $1 and pid in (
      select unnest(pg_blocking_pids(pid)) from pg_stat_activity
      where datname = current_database() and application_name = $1)`,
    [applicationName],
  );
  return rows[0]?.holders ?? 'another transaction';
}

const known: readonly string[] = migrationNames;

type Run = <Row>(text: string, values?: unknown[]) => Promise<Row[]>;

/** In the order in which writers lock them; in another one, a writer could deadlock with the migration. */
const keepWritersOut = `lock table ${tableNames.map((name) => `${schema}.${name}`).join(', ')} in share row exclusive mode`;

/** Makes the functions and triggers of this version, and puts right what was left off, replaced or removed. */
async function enforce(run: Run): Promise<void> {
  const faults = await enforcementFaults((text, values) => run(text.replace('$1', '?'), values));
  if (faults.length > 0) await run(keepWritersOut);
  for (const { mended } of faults) if (mended) await run(mended);
}

/** The number of the advisory lock that allows one migration at a time in a database; chosen arbitrarily. */
const migrationLock = 7_236_110_421;

/** PostgreSQL only warns if a role grants rights that it may not grant. */
const refuseOthers = `
  do $$ begin
    if exists (select from pg_namespace where nspname = '${schema}' and not pg_has_role(nspowner, 'usage')) then
      raise insufficient_privilege using message = (
        select format('the schema ${schema} belongs to %I', pg_get_userbyid(nspowner)) from pg_namespace where nspname = '${schema}');
    end if;
  end $$`;

/**
 * Applies the pending migrations and grants the rights of the roles that exist: all of it, or nothing, except that the
 * schema and the table of migrations stay. `lockTimeout` is for each lock, in milliseconds; `beforeCommit` is called
 * when everything is done.
 * @throws the driver's error, such as 42501 when the user may not act as the schema's owner; UnfitDatabase
 */
async function bringUpToDate(
  { orm }: Database,
  lockTimeout: number,
  onWait: (line: string) => void,
  beforeCommit: () => void,
): Promise<void> {
  const connection = orm.em.getConnection();
  await connection.transactional(
    async (transaction) => {
      const run = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
        connection.execute(text, values, 'all', transaction);
      await run(withoutTimeouts);
      const [turn] = await run<{ ours: boolean }>('select pg_try_advisory_xact_lock(?) as ours', [
        migrationLock,
      ]);
      if (!turn?.ours) {
        onWait('waiting for another process that migrates');
        await run('select pg_advisory_xact_lock(?)', [migrationLock]);
      }
      await run(refuseOthers);
      // Creates the schema and the table of migrations, on a connection of its own.
      const executed = (await orm.migrator.getExecuted()).map(({ name }) => name);
      await run("select set_config('lock_timeout', ?, true)", [String(lockTimeout)]);
      if (executed.length > 0 && !executed.includes(migrationNames[0]))
        throw new UnfitDatabase(
          'the schema is of a version before 1.0.0: run `backup` of that version, and `restore` of this one into a ' +
            'new database (docs/how-to/upgrade.md)',
        );
      if (executed.length > 0 && !migrationNames.every((name) => executed.includes(name)))
        await run(keepWritersOut);
      await orm.migrator.up({ transaction });
      // Not over those of a newer version.
      if (executed.every((name) => known.includes(name))) await enforce(run);
      // Each time: a dump that was restored without privileges lets everybody execute them.
      await run(revokeFromPublic);
      const existing = 'select rolname::text as name from pg_roles where rolname in (?)';
      const there = await run<{ name: string }>(existing, [Object.values(roles)]);
      for (const text of grantTexts(there.map(({ name }) => name))) await run(text);
      beforeCommit();
    },
    { isolationLevel },
  );
}
