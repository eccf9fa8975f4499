import { heldRights, rightsOf, roles, temporary } from '@campaign-mirror/adapters-persistence/sql';
import type { Pool } from 'pg';
import type { DatabaseUser } from '../database/database-user.ts';
import { type Finding, ok, problem, some, warning } from './findings.ts';

/** The powers of the database user beyond rights on tables. */
export function checkRole({ name, superuser, ownsSchema, powers }: DatabaseUser): Finding[] {
  const who = `the user ${JSON.stringify(name)}`;
  const findings: Finding[] = [];
  if (powers.length > 0) {
    const remedy = '`./campaign-mirror roles create` makes roles of least privilege: use those';
    findings.push(warning('role', `${who} has more power than is needed: ${powers.join(', ')}`, remedy));
  }
  if (ownsSchema && !superuser) {
    const remedy =
      'use it for `./campaign-mirror migrate` only, and start the service as campaign_mirror_service';
    findings.push(warning('role', `${who} owns the schema, and so may change all that is in it`, remedy));
  }
  if (findings.length === 0) findings.push(ok('role', `${who} has no undue power`));
  return findings;
}

/** The schema's owner cannot grant the right on the database. */
function remedy(missing: readonly string[]): string {
  const migrate = '`./campaign-mirror migrate` as the owner of the schema';
  const create = '`./campaign-mirror roles create` as the owner of the database';
  if (!missing.includes(temporary)) return migrate;
  return missing.length === 1 ? create : `${migrate} and ${create}`;
}

/** The rights on the schema's objects: those that the user lacks, and those beyond its needs. */
export async function checkRights(pool: Pool, user: DatabaseUser): Promise<Finding[]> {
  const who = `the user ${JSON.stringify(user.name)}`;
  if (user.superuser || user.ownsSchema)
    return [ok('rights', `${who} may do all that service and operator do`)];
  const rights = await heldRights(pool);
  if (user.name === roles.redirector) {
    return [problem('rights', `${who} is a redirector's`, "use the operator's, or the service's")];
  }
  const asOperator = rightsOf('operator', rights);
  const isOperator =
    user.name === roles.operator || (user.name !== roles.service && asOperator.missing.length === 0);
  const [purpose, { missing, beyond }] = isOperator
    ? (['operator', asOperator] as const)
    : (['service', rightsOf('service', rights)] as const);
  const findings: Finding[] = [];
  if (missing.length > 0) {
    const advice = `run ${remedy(missing)}, and use ${roles[purpose]} or a member of it`;
    findings.push(problem('rights', `${who} lacks what the ${purpose} needs: ${some(missing)}`, advice));
  }
  if (beyond.length > 0) {
    const advice = `revoke it, or use ${roles[purpose]}`;
    findings.push(warning('rights', `${who} may do more than the ${purpose} needs: ${some(beyond)}`, advice));
  }
  return findings.length > 0 ? findings : [ok('rights', `${who} may do what the ${purpose} does, no more`)];
}
