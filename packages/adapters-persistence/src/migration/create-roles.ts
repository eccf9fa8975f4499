import { randomBytes } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '../connection/transaction.ts';
import { type Role, roles } from '../schema/roles.ts';
import { schema } from '../schema/schema.ts';
import { grantStatements } from './grant-rights.ts';
import { pendingMigrations } from './pending-migrations.ts';
import { scramVerifier } from './scram-verifier.ts';

/** A role of the database, as it was created or found. */
export interface CreatedRole {
  readonly role: Role;
  /** Its name in the database. */
  readonly name: string;
  /** Undefined where the role existed before: it is left unchanged. */
  readonly password: string | undefined;
}

/** The result of creating the roles. */
export type RolesCreation =
  | {
      readonly kind: 'created';
      readonly roles: readonly CreatedRole[];
      /** The schema's owner, where it is not the owner role: it continues to migrate the schema. */
      readonly schemaOwner: string | undefined;
      /** The schema is missing or not at this version: a migration grants the roles their rights. */
      readonly toMigrate: boolean;
    }
  /** Only the owner of the database and of the schema, or a superuser, can grant rights on them. */
  | { readonly kind: 'not-the-owner'; readonly of: 'database' | 'schema'; readonly owner: string };

interface Facts {
  database_owner: string;
  owns_database: boolean;
  schema_owner: string | null;
  owns_schema: boolean | null;
  existing: string[];
}

const factsText = `
  select pg_get_userbyid(datdba)::text as database_owner, pg_has_role(datdba, 'usage') as owns_database,
    pg_get_userbyid(nspowner)::text as schema_owner, pg_has_role(nspowner, 'usage') as owns_schema,
    array(select rolname::text from pg_roles where rolname = any($2)) as existing
  from pg_database left join pg_namespace on nspname = $1
  where datname = current_database()`;

/**
 * Creates the roles that are missing, with random passwords that only `show` receives, and grants what they need in
 * this database. All of it, including `show`, or nothing.
 * @throws what `show` throws; the driver's 42501 where the user may not create roles; Unavailable
 */
export function createRoles(
  pool: Pool,
  show: (created: readonly CreatedRole[]) => Promise<void>,
): Promise<RolesCreation> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<Facts>(factsText, [schema, Object.values(roles)]);
    const facts = rows[0] as Facts;
    const all = (Object.keys(roles) as Role[]).map((role) => ({
      role,
      name: roles[role],
      password: facts.existing.includes(roles[role]) ? undefined : randomBytes(24).toString('base64url'),
    }));
    const missing = all.filter(({ password }) => password !== undefined);
    if (!facts.owns_database) return { kind: 'not-the-owner', of: 'database', owner: facts.database_owner };
    if (facts.schema_owner !== null && !facts.owns_schema)
      return { kind: 'not-the-owner', of: 'schema', owner: facts.schema_owner };

    for (const { name, password } of missing) {
      await client.query(`create role ${name} login password '${scramVerifier(password ?? '')}'`);
    }
    await openDatabaseTo(client, all, facts.schema_owner === null);
    const toMigrate = facts.schema_owner === null || !(await isUpToDate(client));
    if (!toMigrate) {
      const rights = grantStatements(missing.map(({ role }) => role));
      for (const right of rights) await client.query(right);
    }
    await show(all);
    const { schema_owner } = facts;
    const schemaOwner = schema_owner === null || schema_owner === roles.owner ? undefined : schema_owner;
    return { kind: 'created', roles: all, schemaOwner, toMigrate };
  });
}

/**
 * Grants `connect` where it is missing; `create` to the owner role, for the schema; `temporary` to the operator's, for
 * imports.
 */
async function openDatabaseTo(client: PoolClient, all: CreatedRole[], create: boolean): Promise<void> {
  const wanted = all.map(({ name }) => [name, 'connect']);
  wanted.push([roles.operator, 'temporary']);
  if (create) wanted.push([roles.owner, 'create']);
  for (const [name, right] of wanted) {
    const asked = `
      select quote_ident(current_database()) as database, has_database_privilege($1, current_database(), $2) as granted`;
    const { rows } = await client.query(asked, [name, right]);
    if (!rows[0].granted) await client.query(`grant ${right} on database ${rows[0].database} to ${name}`);
  }
}

/** Migrations of a newer version do not count: this version does not know their rights. */
async function isUpToDate(client: PoolClient): Promise<boolean> {
  // To read a table that is missing would end the transaction.
  const { rows } = await client.query(`select to_regclass('${schema}.migrations') is not null as there`);
  return rows[0].there && (await pendingMigrations(client)).length === 0;
}
