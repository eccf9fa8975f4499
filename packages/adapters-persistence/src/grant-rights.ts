import type { PoolClient } from 'pg';
import { schema } from './entities.ts';
import { grants } from './grants.ts';
import { type Role, roles } from './roles.ts';

const everybody = Object.keys(grants) as Role[];

/**
 * Gives those of these roles that exist their rights, in the transaction of this connection: roles come and go with
 * their server, and each version may need others.
 */
export async function grantRights(client: PoolClient, to: readonly Role[] = everybody): Promise<void> {
  for (const [role, rights] of Object.entries(grants)) {
    if (!to.includes(role as Role)) continue;
    const name = roles[role as Role];
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name]);
    if (rowCount === 0) continue;
    await client.query(`grant usage on schema ${schema} to ${name}`);
    for (const right of rights) await client.query(`grant ${right} to ${name}`);
  }
}
