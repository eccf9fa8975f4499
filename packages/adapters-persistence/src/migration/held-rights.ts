import type { ClientBase, Pool } from 'pg';
import { rowsOf } from '../connection/rows.ts';
import { grants } from '../schema/grants.ts';
import type { Role } from '../schema/roles.ts';

/** The rights of a role that a user lacks, and those it has beyond them, each such as `update on mirrors`. */
export interface RightsFinding {
  readonly missing: readonly string[];
  readonly beyond: readonly string[];
}

/** Rights on a table as a whole, and rights on its columns. */
const ofTables = ['delete', 'truncate', 'references', 'trigger'];
const ofColumns = ['select', 'insert', 'update'];
const ofSequences = ['usage', 'select', 'update'];

/** One row for each right on each object of the schema, or on each column: whether the current user has it. */
const rightsText = `
  select relname::text as object, attname::text as part, one as right,
    has_column_privilege(pg_class.oid, attnum, one) as held
  from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    cross join unnest($1::text[]) as one
  where relnamespace = 'campaign_mirror'::regnamespace and relkind in ('r', 'v')
  union all
  select relname, null, one, has_table_privilege(pg_class.oid, one)
  from pg_class cross join unnest($2::text[]) as one
  where relnamespace = 'campaign_mirror'::regnamespace and relkind in ('r', 'v')
  union all
  select relname, null, one, has_sequence_privilege(pg_class.oid, one)
  from pg_class cross join unnest($3::text[]) as one
  where relnamespace = 'campaign_mirror'::regnamespace and relkind = 'S'
  union all
  select proname, null, 'execute', has_function_privilege(oid, 'execute')
  from pg_proc where pronamespace = 'campaign_mirror'::regnamespace and prorettype <> 'trigger'::regtype
  union all
  select 'schema campaign_mirror', null, one, has_schema_privilege('campaign_mirror', one)
  from unnest(array['usage', 'create']) as one
  union all
  select 'the database', null, 'temporary', has_database_privilege(current_database(), 'temporary')`;

interface Right {
  object: string;
  part: string | null;
  right: string;
  held: boolean;
}

/** Every right in the schema, and whether the current user has it. @throws Unavailable */
export function heldRights(database: Pool | ClientBase): Promise<readonly Right[]> {
  return rowsOf<Right>(database, rightsText, [ofColumns, ofTables, ofSequences]);
}

/** How those rights differ from what a role is granted. A column that is not there yet makes its right a missing one. */
export function rightsOf(role: keyof typeof grants, rights: readonly Right[]): RightsFinding {
  const whole = { columns: [] };
  const needed = [
    { right: 'usage', on: 'schema campaign_mirror', ...whole },
    ...(role === 'operator' ? [{ right: 'temporary', on: 'the database', ...whole }] : []),
    ...grants[role],
  ];
  const missing = needed.filter(({ right, on, columns }) => {
    const there = rights.filter((one) => one.right === right && one.object === on);
    const held = there.filter((one) => one.held);
    if (columns.length === 0) return held.length === 0 || held.length < there.length;
    return !columns.every((column) => held.some(({ part }) => part === column));
  });
  const granted = grantedTo(role);
  const beyond = rights
    .filter((one) => one.held && !granted(one))
    .map((one) => `${one.right} on ${one.object}`);
  return {
    missing: missing.map(({ right, on }) => `${right} on ${on}`),
    // By default everybody has it: it does not mean that a role has too many rights.
    beyond: [...new Set(beyond)].filter((right) => right !== 'temporary on the database'),
  };
}

function grantedTo(role: Exclude<Role, 'owner'>): (one: Right) => boolean {
  const granted = new Set(['usage schema campaign_mirror']);
  if (role === 'operator') granted.add('temporary the database');
  for (const { right, on, columns, isWhole } of grants[role]) {
    for (const part of isWhole ? [''] : columns) granted.add(`${right} ${on} ${part}`.trim());
  }
  return ({ right, object, part }) =>
    granted.has(`${right} ${object}`) || granted.has(`${right} ${object} ${part ?? ''}`.trim());
}
