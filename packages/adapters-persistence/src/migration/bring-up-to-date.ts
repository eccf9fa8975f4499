import type { Database } from '../connection/database.ts';
import { patiently } from '../connection/stoppable.ts';
import { schema } from '../schema/schema.ts';
import { existingRoles, grantStatements } from './grant-rights.ts';

/** PostgreSQL only warns where a role gives rights that are not its own to give. */
class NotTheOwner extends Error {
  override name = 'NotTheOwner';
  /** The SQLSTATE of a right that is missing. */
  readonly code = '42501';
}

/**
 * Makes the schema where there is none yet, and the table of what was applied.
 * @throws the driver's 42501, or the like, when we may not act as the schema's owner
 */
export async function prepareSchema({ orm, pool }: Database): Promise<void> {
  const owned = "select pg_has_role(nspowner, 'usage') as ours from pg_namespace where nspname = $1";
  const { rows } = await pool.query<{ ours: boolean }>(owned, [schema]);
  // Not `create schema if not exists`: it asks for the right to create even where nothing is to be created.
  if (rows.length === 0) await pool.query(`create schema ${schema}`);
  else if (!rows[0]?.ours) throw new NotTheOwner(`the schema ${schema} is another role's`);
  await orm.migrator.getPending();
}

/**
 * Applies what is pending and gives the roles that exist their rights: all of it, or nothing.
 * @param lockTimeout for each lock, in milliseconds
 * @param onDone all is done, and about to be committed
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
    await run(patiently);
    await run("select set_config('lock_timeout', ?, true)", [String(lockTimeout)]);
    await orm.migrator.up({ transaction });
    for (const right of rights) await run(right);
    onDone();
  });
}
