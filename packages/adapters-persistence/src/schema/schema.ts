import { readFileSync } from 'node:fs';

/** Holds all of Campaign Mirror, and nothing else: the migrations of other programs must leave it out. */
export const schema = 'campaign_mirror';

/** The database roles of least privilege, which `ops/roles.sql` creates. The owner migrates the schema. */
export const roles = {
  owner: 'campaign_mirror_owner',
  operator: 'campaign_mirror_operator',
  service: 'campaign_mirror_service',
  redirector: 'campaign_mirror_redirector',
} as const;

/** One of the four roles of least privilege. */
export type Role = keyof typeof roles;

/** In `src`, which the packages contain, whether this file was compiled or not. */
const read = (name: string) => readFileSync(new URL(`../../src/schema/${name}.sql`, import.meta.url), 'utf8');

/**
 * Every version of the tables, in order; a released one never changes. A version that changes only functions has a
 * migration without a statement, so that older processes, which may start beside it, leave its functions alone.
 */
export const migrations: Readonly<Record<string, string>> = { '0001-first-release': read('tables') };

/** Of every migration, in order. */
export const migrationNames = Object.keys(migrations);

/** Functions and triggers, which replace those that are there. */
export const functions = ['lookups', 'row-checks', 'audit', 'history', 'feed', 'set-mirrors']
  .map(read)
  .join('\n');

const withRights = (name: string) => read(name).replace('NEEDED_RIGHTS', read('needed-rights'));

/** Gives the roles that exist their rights. It locks no table. */
export const grants = withRights('grants');

/** One row for each `finding`, with `advice`: what is missing or disabled that a promise needs. */
export const missingPartsText = read('missing-parts');

/** One row, if there is a schema: its `comment`, its `place`, whether it was `moved`, as by a restore. */
export const locationText = read('location');

/** Functions, triggers and rights, each with the text that it has now. */
export const definitionsText = read('definitions');

/** At most five rows: mirrors whose facts or address could not be stored like this today. */
export const invalidMirrorsText = read('invalid-mirrors');

/** One row, if there is a schema: what the current user may do beyond its role, and what it lacks of that. */
export const roleRightsText = withRights('rights');

/** The tables whose rows have numbers, in the order in which writers lock them. */
export const tableNames = [
  'campaigns',
  'mirrors',
  'access_keys',
  'mirror_history',
  'operator_audit',
] as const;

/** Sequences follow imported numbers up to this one: 2^53-1 would leave no number for the next row. */
export const countedUpTo = 9_007_199_253_740_991;
