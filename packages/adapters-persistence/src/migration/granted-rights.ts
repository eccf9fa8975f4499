import type { ClientBase, Pool } from 'pg';
import { rowsOf } from '../connection/rows.ts';
import { type Grant, grants } from '../schema/grants.ts';

/** A right on an object of the schema, or on a column of it. */
export interface Right {
  object: string;
  part: string | null;
  right: string;
  granted: boolean;
}

const rightsText = `
  with role as (
    select oid as who from pg_roles where rolname = coalesce($1, current_user)
  ), relations as (
    select who, pg_class.oid, relname::text as object, relkind from pg_class, role
    where relnamespace = 'campaign_mirror'::regnamespace and relkind in ('r', 'v', 'S')
  )
  select object, attname::text as part, one as right, has_column_privilege(who, oid, attnum, one) as granted
  from relations join pg_attribute on attrelid = oid and attnum > 0 and not attisdropped,
    unnest(array['select', 'insert', 'update']) as one
  where relkind <> 'S'
  union all
  select object, null, one, has_table_privilege(who, oid, one)
  from relations, unnest(array['delete', 'truncate', 'references', 'trigger']) as one where relkind <> 'S'
  union all
  select object, null, one, has_sequence_privilege(who, oid, one)
  from relations, unnest(array['usage', 'select', 'update']) as one where relkind = 'S'
  union all
  select proname, null, 'execute', has_function_privilege(who, pg_proc.oid, 'execute')
  from pg_proc, role where pronamespace = 'campaign_mirror'::regnamespace and prorettype <> 'trigger'::regtype
  union all
  select 'schema campaign_mirror', null, one, has_schema_privilege(who, 'campaign_mirror', one)
  from role, unnest(array['usage', 'create']) as one
  union all
  select 'the database', null, 'temporary', has_database_privilege(who, current_database(), 'temporary') from role`;

/**
 * Every right in the schema, and whether the role, by default the current user, has it; none if there is no such role.
 * @throws Unavailable
 */
export const grantedRights = (database: Pool | ClientBase, role?: string) =>
  rowsOf<Right>(database, rightsText, [role ?? null]);

/**
 * The rights of a role that the user lacks, and those it has beyond them, each such as `update on mirrors`. A column that
 * is not there yet makes its right a missing one.
 */
export function rightsOf(role: keyof typeof grants, rights: readonly Right[]) {
  const needed: Grant[] = [{ right: 'usage', on: 'schema campaign_mirror' }, ...grants[role]];
  if (role === 'operator') needed.push({ right: 'temporary', on: 'the database' });
  const covers = ({ right, on, columns }: Grant, { right: name, object, part }: Right) =>
    name === right && object === on && (part === null || !columns || columns.includes(part));
  const missing = needed.filter((grant) => {
    const parts = rights.filter((right) => covers(grant, right));
    return parts.length < (grant.columns?.length ?? 1) || parts.some(({ granted }) => !granted);
  });
  // By default everybody may make temporary tables: it does not mean that a role has too many rights.
  const beyond = rights.filter(
    (right) => right.granted && right.right !== 'temporary' && !needed.some((grant) => covers(grant, right)),
  );
  return {
    missing: missing.map(({ right, on }) => `${right} on ${on}`),
    beyond: [...new Set(beyond.map(({ right, object }) => `${right} on ${object}`))],
  };
}
