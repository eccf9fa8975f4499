import { isolationLevel } from '../connection/audited.ts';
import type { Database } from '../connection/database.ts';
import { UnfitDatabase } from '../connection/pool.ts';
import { withoutTimeouts } from '../connection/stoppable.ts';
import { grantTexts, revokeFromPublic } from '../schema/grants.ts';
import { migrationNames, roles, schema } from '../schema/schema.ts';

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

/** One attempt to bring the schema up to date. */
interface Attempt {
  /** For each lock, in milliseconds. */
  readonly lockTimeout: number;
  /** Called when another process is migrating, before waiting for it. */
  readonly onWait: (() => void) | undefined;
  /** Called when everything is done, just before the commit. */
  readonly onDone: () => void;
}

/**
 * Applies the pending migrations and grants the rights of the roles that exist: all of it, or nothing, except that the
 * schema and the table of migrations stay.
 * @throws the driver's error, such as 42501 when the user may not act as the schema's owner; UnfitDatabase
 */
export async function bringUpToDate(
  { orm }: Database,
  { lockTimeout, onWait, onDone }: Attempt,
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
        onWait?.();
        await run('select pg_advisory_xact_lock(?)', [migrationLock]);
      }
      await run(refuseOthers);
      // Creates the schema and the table of migrations, on a connection of its own.
      const executed = (await orm.migrator.getExecuted()).map(({ name }) => name);
      await run("select set_config('lock_timeout', ?, true)", [String(lockTimeout)]);
      refuseEarlier(executed);
      await orm.migrator.up({ transaction });
      // Each time: a dump that was restored without privileges lets everybody execute them.
      await run(revokeFromPublic);
      // They are created and dropped on the server, not by a migration.
      const existing = 'select rolname::text as name from pg_roles where rolname in (?)';
      const there = await run<{ name: string }>(existing, [Object.values(roles)]);
      for (const text of grantTexts(there.map(({ name }) => name))) await run(text);
      onDone();
    },
    { isolationLevel },
  );
}

/** @throws UnfitDatabase if a version before the first release made the schema */
function refuseEarlier(executed: readonly string[]): void {
  if (executed.length === 0 || executed.includes(migrationNames[0])) return;
  throw new UnfitDatabase(
    'the schema is of a version before 1.0.0: run `backup` of that version, and `restore` of this one into a new ' +
      'database (docs/how-to/upgrade.md)',
  );
}
