import type { ClientBase, Pool } from 'pg';

/** A session whose details are hidden from this user counts all the same. */
const connectionsText = `
  select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0) as usable,
    (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user) as of_role,
    (select nullif(datconnlimit, -1) from pg_database where datname = current_database()) as of_database,
    others.*
  from (
    select count(*)::int as others, count(*) filter (where usename = current_user)::int as others_of_role,
      count(*) filter (where datname = current_database())::int as others_of_database
    from pg_stat_activity
    where datid is not null and usesysid is not null and coalesce(backend_type, 'client backend') = 'client backend'
      and application_name not like 'campaign-mirror%'
  ) as others`;

/** Whether a pool fits into the connection limits of the server, the database and the user. */
interface PoolBudget {
  /** In one line. */
  readonly says: string;
  /** What to do where it does not fit, either at all or beside the present connections of others. */
  readonly problem?: string;
  readonly warning?: string;
}

/** `size` is POOL_SIZE: of all processes of the service together. */
export async function poolBudget(database: Pool | ClientBase, size: number): Promise<PoolBudget> {
  const { rows } = await (database as Pool).query(connectionsText);
  const { usable, of_role, of_database, others, others_of_role, others_of_database } = rows[0];
  const allowed = Math.min(usable, of_role ?? usable, of_database ?? usable);
  const says = `POOL_SIZE is ${size}, of ${allowed} connections that the server allows; others have ${others}`;
  if (size > allowed) {
    const problem = `lower POOL_SIZE to ${allowed} for all services together, or raise the limit (max_connections, connection limit)`;
    return { says, problem };
  }
  // Each limit counts different connections: those of the server, of the role, of the database.
  const room = Math.min(
    usable - others,
    (of_role ?? usable) - others_of_role,
    (of_database ?? usable) - others_of_database,
  );
  if (size > room) {
    return { says, warning: 'lower POOL_SIZE, raise max_connections, or let the others have fewer' };
  }
  return { says };
}
