import type { Pool } from 'pg';
import { type Finding, ok, warning } from './doctor-findings.ts';

export interface DatabaseUser {
  readonly name: string;
  readonly superuser: boolean;
  readonly ownsSchema: boolean;
}

const roleText = `
  select rolname::text as name, rolsuper as superuser, coalesce(pg_has_role(nspowner, 'usage'), false) as owns_schema,
    array_remove(array[case when rolsuper then 'superuser' end, case when rolcreaterole then 'createrole' end,
      case when rolcreatedb then 'createdb' end, case when rolreplication then 'replication' end,
      case when rolbypassrls then 'bypassrls' end], null) as powers
  from pg_roles left join pg_namespace on nspname = 'campaign_mirror' where rolname = current_user`;

/** Who we are in the database, and which powers beyond rights on tables that brings. */
export async function checkRole(pool: Pool): Promise<{ findings: Finding[]; user: DatabaseUser }> {
  const { rows } = await pool.query(roleText);
  const { name, superuser, owns_schema: ownsSchema, powers } = rows[0];
  const user: DatabaseUser = { name, superuser, ownsSchema };
  const findings: Finding[] = [];
  if (powers.length > 0) {
    findings.push(
      warning(
        'role',
        `the user ${JSON.stringify(name)} has more power than is needed: ${powers.join(', ')}`,
        '`./campaign-mirror roles create` makes roles of least privilege: use those',
      ),
    );
  }
  if (ownsSchema && !superuser) {
    findings.push(
      warning(
        'role',
        `the user ${JSON.stringify(name)} owns the schema, and so may change all that is in it`,
        'use it for `./campaign-mirror migrate` only, and start the service as campaign_mirror_service',
      ),
    );
  }
  if (findings.length === 0) findings.push(ok('role', `the user ${JSON.stringify(name)} has no undue power`));
  return { findings, user };
}
