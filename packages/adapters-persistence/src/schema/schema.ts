import { readFileSync } from 'node:fs';

/** The name of the schema. It contains nothing else: migrations of other programs must ignore it. */
export const schema = 'campaign_mirror';

/** The database roles of least privilege, which `ops/roles.sql` creates. The owner migrates the schema. */
export const roles = {
  owner: 'campaign_mirror_owner',
  operator: 'campaign_mirror_operator',
  service: 'campaign_mirror_service',
  redirector: 'campaign_mirror_redirector',
} as const;

export type Role = keyof typeof roles;

/** Compiled packages contain `src`, too. */
const read = (name: string) => readFileSync(new URL(`../../src/schema/${name}.sql`, import.meta.url), 'utf8');

/**
 * The versions of the tables, in order. A released one never changes. A version that changes only functions has an
 * empty migration: then older processes do not replace its functions.
 */
export const migrations: Readonly<Record<string, string>> = { '0001-first-release': read('tables') };
export const migrationNames = Object.keys(migrations);

const functionFiles = ['lookups', 'row-checks', 'audit', 'history', 'feed', 'set-mirrors'];
/** Creates or replaces all functions and triggers. */
export const functions = functionFiles.map(read).join('\n');

/** One row for each missing or disabled part of the schema: `finding` and `advice`. */
export const missingPartsText = read('missing-parts');

/** One row if the schema exists: its `comment`, its `location`, and whether it was `moved`, as by a restore. */
export const locationText = read('location');

/** The `definition` of each `part`: functions, triggers and rights. */
export const definitionsText = read('definitions');

/** At most five mirrors that today's rules refuse: `campaign_id`, `fault`, and the `total`. */
export const invalidMirrorsText = read('invalid-mirrors');

/** The tables with an identity column, in the order in which writers lock them. */
export const tableNames = ['campaigns', 'mirrors', 'access_keys', 'mirror_history', 'operator_audit'];
