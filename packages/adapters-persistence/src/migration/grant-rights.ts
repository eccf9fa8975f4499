import type { Pool } from 'pg';
import { grants, grantText } from '../schema/grants.ts';
import { type Role, roles } from '../schema/roles.ts';
import { schema } from '../schema/schema.ts';

const everybody = Object.keys(grants) as (keyof typeof grants)[];

/** The statements that grant these roles their rights, which differ between versions. The roles have to exist. */
export function grantStatements(to: readonly Role[]): string[] {
  return everybody
    .filter((role) => to.includes(role))
    .flatMap((role) => [
      `grant usage on schema ${schema} to ${roles[role]}`,
      ...grants[role].map((right) => grantText(right, roles[role])),
      ...(role === 'operator' ? [grantTemporaryTables] : []),
    ]);
}

/** For imports, where the right was revoked from public; only the database's owner can grant it. */
const grantTemporaryTables = `
  do $$ begin
    if exists (
      select from pg_database where datname = current_database() and pg_has_role(datdba, 'usage')
        and not has_database_privilege('${roles.operator}', oid, 'temporary')
    ) then
      execute format('grant temporary on database %I to ${roles.operator}', current_database());
    end if;
  end $$`;

/** The roles that exist: they are created and dropped on the server, not by a migration. */
export async function existingRoles(pool: Pool): Promise<Role[]> {
  const { rows } = await pool.query<{ name: string }>(
    'select rolname::text as name from pg_roles where rolname = any($1)',
    [Object.values(roles)],
  );
  const there = new Set(rows.map(({ name }) => name));
  return (Object.keys(roles) as Role[]).filter((role) => there.has(roles[role]));
}
