import type { Pool } from 'pg';
import { type DatabaseUser, databaseUser } from '../database/database-user.ts';
import { type Finding, ok, warning } from './findings.ts';

/** The database user, and its powers beyond rights on tables. */
export async function checkRole(pool: Pool): Promise<{ findings: Finding[]; user: DatabaseUser }> {
  const user = await databaseUser(pool);
  const { name, superuser, ownsSchema, powers } = user;
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
