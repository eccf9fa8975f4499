import { createHmac, hash, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { UnfitDatabase } from '../connection/pool.ts';
import { rowOf } from '../connection/rows.ts';
import { inTransaction } from '../connection/transaction.ts';
import {
  databaseGrantText,
  type Role,
  revokeLargeObjects,
  revokeTemporary,
  roles,
} from '../schema/grants.ts';
import { schema } from '../schema/tables.ts';

/** PostgreSQL's default for `scram_iterations`. */
const iterations = 4_096;

/**
 * What a PostgreSQL server stores of a password (RFC 5802, section 3; RFC 7677), so that the password itself is neither
 * sent nor logged. The password has to be ASCII.
 */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = hash('sha256', keyed('Client Key'), 'base64');
  const serverKey = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}

/** A role of the database, as `createRoles` leaves it. */
export interface CreatedRole {
  readonly role: Role;
  readonly name: string;
  /** Undefined if the role existed before: it is left unchanged. */
  readonly password: string | undefined;
}

/** Each role's share of PostgreSQL's 100 connections, so that no leaked password takes all of them. */
const connectionLimits = { owner: 20, operator: 20, service: 60, redirector: 60 };

/** What `createRoles` did. */
export interface RolesCreation {
  readonly roles: readonly CreatedRole[];
  /** The schema's owner, if it is not the owner role: it continues to migrate the schema. */
  readonly schemaOwner: string | undefined;
}

const factsText = `
  select current_setting('is_superuser') = 'on' as is_superuser, pg_get_userbyid(datdba)::text as database_owner, pg_has_role(datdba, 'usage') as owns_database,
    pg_get_userbyid(nspowner)::text as schema_owner,
    array(select rolname::text from pg_roles where rolname = any($2)) as existing
  from pg_database left join pg_namespace on nspname = $1
  where datname = current_database()`;

/**
 * Creates the roles that are missing, with random passwords that only `show` receives, and grants what they need on
 * this database; what they need in its schema, a migration grants. All of it, including `show`, or nothing.
 * @throws what `show` throws; UnfitDatabase if it is another's; the driver's 42501 if the user may not create roles; Unavailable
 */
export function createRoles(
  pool: Pool,
  show: (created: readonly CreatedRole[]) => Promise<void>,
): Promise<RolesCreation> {
  return inTransaction(pool, async (client) => {
    const facts = await rowOf<{
      readonly is_superuser: boolean;
      readonly database_owner: string;
      readonly owns_database: boolean;
      /** Null if there is no schema. */
      readonly schema_owner: string | null;
      readonly existing: readonly string[];
    }>(client, factsText, [schema, Object.values(roles)]);
    const { database_owner, owns_database, schema_owner, is_superuser, existing } = facts;
    if (!owns_database)
      throw new UnfitDatabase(
        `the database belongs to ${JSON.stringify(database_owner)}: ` +
          'run this as that user, who needs CREATEROLE too, or as a superuser',
      );

    const all = (Object.keys(roles) as Role[]).map((role): CreatedRole => {
      const password = existing.includes(roles[role]) ? undefined : randomBytes(24).toString('base64url');
      return { role, name: roles[role], password };
    });
    const missing = all.filter(({ password }) => password !== undefined);
    const statements = [
      ...missing.flatMap(({ role, name, password = '' }) => [
        `create role ${name} login password '${scramVerifier(password)}' connection limit ${connectionLimits[role]}`,
        // Behind a pooler, this is what holds, whatever the database's default is.
        `alter role ${name} set default_transaction_isolation = 'read committed'`,
      ]),
      ...all.map(({ role }) => databaseGrantText('connect', role)),
      revokeTemporary,
      is_superuser ? revokeLargeObjects : '',
      // The operator imports.
      databaseGrantText('temporary', 'operator'),
      // The owner creates the schema.
      schema_owner === null ? databaseGrantText('create', 'owner') : '',
    ];
    for (const statement of statements) await client.query(statement);
    await show(all);
    const schemaOwner = schema_owner === null || schema_owner === roles.owner ? undefined : schema_owner;
    return { roles: all, schemaOwner };
  });
}
