import type { Database } from '../connection/database.ts';
import { withoutTimeouts } from '../connection/stoppable.ts';
import { schema } from '../schema/schema.ts';
import { existingRoles, grantStatements } from './grant-rights.ts';

/** PostgreSQL only warns where a role grants rights that it may not grant. */
class NotTheOwner extends Error {
  override name = 'NotTheOwner';
  /** SQLSTATE: insufficient privilege. */
  readonly code = '42501';
}

/**
 * Creates the schema and the table of migrations where they are missing.
 * @throws the driver's error, such as 42501, when the user may not act as the schema's owner
 */
export async function prepareSchema({ orm, pool }: Database): Promise<void> {
  const owned = "select pg_has_role(nspowner, 'usage') as ours from pg_namespace where nspname = $1";
  const { rows } = await pool.query<{ ours: boolean }>(owned, [schema]);
  // Not `create schema if not exists`: it requires the right to create even where the schema exists.
  if (rows.length === 0) await pool.query(`create schema ${schema}`);
  else if (!rows[0]?.ours) throw new NotTheOwner(`the schema ${schema} is another role's`);
  await orm.migrator.getPending();
}

/**
 * Applies the pending migrations and grants the rights of the roles that exist: all of it, or nothing.
 * @param lockTimeout for each lock, in milliseconds
 * @param onDone called when everything is done, just before the commit
 */
export async function bringUpToDate(
  { orm, pool }: Database,
  lockTimeout: number,
  onDone: () => void,
): Promise<void> {
  const rights = grantStatements(await existingRoles(pool));
  const connection = orm.em.getConnection();
  await connection.transactional(async (transaction) => {
    const run = (text: string, values: unknown[] = []) =>
      connection.execute(text, values, 'run', transaction);
    await run(withoutTimeouts);
    await run("select set_config('lock_timeout', ?, true)", [String(lockTimeout)]);
    await orm.migrator.up({ transaction });
    for (const right of rights) await run(right);
    onDone();
  });
}
