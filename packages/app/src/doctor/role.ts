import type { Pool } from 'pg';
import { type DatabaseUser, databaseUser } from '../database/database-user.ts';
import { type Finding, ok, warning } from './findings.ts';

/** The database user, and its powers beyond rights on tables. */
export async function checkRole(pool: Pool): Promise<{ findings: Finding[]; user: DatabaseUser }> {
  const user = await databaseUser(pool);
  const { name, superuser, ownsSchema, powers } = user;
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
  return { findings, user };
}
