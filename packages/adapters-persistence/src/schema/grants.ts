import { tableNames } from './tables.ts';

/** The database roles of least privilege. The owner migrates the schema. */
export const roles = {
  owner: 'campaign_mirror_owner',
  operator: 'campaign_mirror_operator',
  service: 'campaign_mirror_service',
  redirector: 'campaign_mirror_redirector',
} as const;

/** One of the four roles of least privilege. */
export type Role = keyof typeof roles;

/** A right on an object of the schema, named without it: on these columns of a table, or on the whole object. */
export interface Grant {
  readonly right: string;
  readonly on: string;
  readonly columns?: readonly string[];
}

/** Grants each of the rights on each of the objects; all three are lists separated by spaces. */
function on(objects: string, rights: string, columns?: string): Grant[] {
  const part = columns && { columns: columns.split(' ') };
  return objects.split(' ').flatMap((on) => rights.split(' ').map((right) => ({ right, on, ...part })));
}

/** Read by `copy`, so that no number is assigned again after it. */
const sequences = tableNames.map((table) => `${table}_id_seq`).join(' ');

/** The columns that the creator of a mirror sets. The database itself sets the others, such as `last_change_id`. */
const mirrorFields =
  'id campaign_id target_url clicks updated_externally updated_externally_at created_at updated_at';

/**
 * What each role may do, and nothing else. The owner's rights come with ownership. Nobody else writes addresses, their
 * history or the audit, except through the functions and triggers of the schema. The operator can execute the function
 * for callers, too. It imports campaigns with their numbers, hence its rights on two sequences; its right to count
 * clicks is for locking a mirror that is deleted.
 */
export const grants: Record<Exclude<Role, 'owner'>, readonly Grant[]> = {
  operator: [
    ...on('campaigns', 'select insert delete'),
    ...on('campaigns', 'update', 'owner_id is_default'),
    ...on('mirrors', 'select'),
    ...on('mirrors', 'insert', mirrorFields),
    ...on('mirrors', 'update', 'clicks'),
    ...on('access_keys', 'select insert'),
    ...on('access_keys', 'update', 'expires_at revoked_at replaced_by'),
    ...on('mirror_history operator_audit key_uses current_mirrors migrations', 'select'),
    ...on('numbers sequences_behind transactions_ahead', 'select'),
    ...on('denied_hosts', 'select delete'),
    ...on(sequences, 'select'),
    ...on('campaigns_id_seq mirrors_id_seq', 'usage update'),
    ...on('prune_history note_key_uses changes_since', 'execute'),
    ...on('set_mirrors_if set_mirrors_as_operator_if', 'execute'),
  ],
  service: [
    ...on('campaigns', 'select', 'id owner_id is_default'),
    ...on('mirrors', 'select', 'campaign_id'),
    ...on('access_keys', 'select', 'id hash owner_id hosts expires_at revoked_at replaced_by'),
    ...on('numbers sequences_behind transactions_ahead denied_hosts', 'select'),
    ...on('migrations', 'select', 'name'),
    ...on('set_mirrors_if note_key_uses deny_hosts', 'execute'),
  ],
  redirector: [...on('current_mirrors', 'select'), ...on('changes_since count_clicks', 'execute')],
};

/** By default, everybody may execute a function. */
export const revokeFromPublic = `revoke execute on all functions in schema campaign_mirror from public`;

/**
 * The statements that give the roles of these names, which have to exist, their rights in this version, and take away
 * those that they had in another one: a right on a column goes with that on its table.
 */
export function grantTexts(names: readonly string[]): string[] {
  const texts: string[] = [];
  for (const role of Object.keys(grants) as (keyof typeof grants)[]) {
    if (!names.includes(roles[role])) continue;
    for (const kind of ['tables', 'sequences', 'functions'])
      texts.push(`revoke all on all ${kind} in schema campaign_mirror from ${roles[role]} cascade`);
    texts.push(`grant usage on schema campaign_mirror to ${roles[role]}`);
    for (const grant of grants[role]) texts.push(grantText(grant, roles[role]));
    // Imports need it; it may have been revoked from public.
    if (role === 'operator') texts.push(databaseGrantText('temporary', role));
  }
  return texts;
}

function grantText({ right, on, columns }: Grant, role: string): string {
  let kind = 'table';
  if (right === 'execute') kind = 'function';
  else if (on.endsWith('_seq')) kind = 'sequence';
  return `grant ${right} ${columns ? `(${columns.join(', ')})` : ''} on ${kind} campaign_mirror.${on} to ${role}`;
}

/** By default, everybody may create temporary tables, which can fill the disk. */
export const revokeTemporary = `
  do $$ begin
    if has_database_privilege('public', current_database(), 'temporary') then
      execute format('revoke temporary on database %I from public', current_database());
    end if;
  end $$`;

/** By default, everybody may make large objects, which can fill the disk, too. A superuser runs it in each database. */
export const revokeLargeObjects =
  'revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from public';

/** Grants a right on the database itself if it is missing and the user owns the database; otherwise nothing is done. */
export function databaseGrantText(right: 'connect' | 'create' | 'temporary', role: Role): string {
  return `
  do $$ begin
    if exists (
      select from pg_database where datname = current_database() and pg_has_role(datdba, 'usage')
        and not has_database_privilege('${roles[role]}', oid, '${right}')
    ) then
      execute format('grant ${right} on database %I to ${roles[role]}', current_database());
    end if;
  end $$`;
}
