import type { ClientBase, Pool } from 'pg';

export interface DatabaseUser {
  readonly name: string;
  readonly superuser: boolean;
  readonly ownsSchema: boolean;
  /** Its powers beyond rights on the contents of a database, such as `superuser` or `createrole`. */
  readonly powers: readonly string[];
}

const userText = `
  select rolname::text as name, rolsuper as superuser, coalesce(pg_has_role(nspowner, 'usage'), false) as owns_schema,
    array_remove(array[case when rolsuper then 'superuser' end, case when rolcreaterole then 'createrole' end,
      case when rolcreatedb then 'createdb' end, case when rolreplication then 'replication' end,
      case when rolbypassrls then 'bypassrls' end], null) as powers
  from pg_roles left join pg_namespace on nspname = 'campaign_mirror' where rolname = current_user`;

/** The current database user. */
export async function databaseUser(database: Pool | ClientBase): Promise<DatabaseUser> {
  const { rows } = await (database as Pool).query(userText);
  const { name, superuser, owns_schema: ownsSchema, powers } = rows[0];
  return { name, superuser, ownsSchema, powers };
}
