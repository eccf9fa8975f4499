import { type Role, roles } from './roles.ts';
import { schema } from './schema.ts';

/** A right on an object of the schema, named without it: on these columns of a table, or on the whole object. */
export interface Grant {
  readonly right: string;
  readonly on: string;
  readonly columns?: readonly string[];
}

/** Rights and objects are separated by a space each. */
function on(objects: string, rights: string, columns?: readonly string[]): Grant[] {
  return objects
    .split(' ')
    .flatMap((on) => rights.split(' ').map((right) => ({ right, on, ...(columns && { columns }) })));
}

/** Imported and restored rows keep their numbers: the sequences are then moved beyond them. */
const sequences =
  'campaigns_id_seq mirrors_id_seq access_keys_id_seq mirror_history_id_seq operator_audit_id_seq';

/**
 * What each role may do, and nothing else. The owner's rights come with ownership. The service locks the campaign that
 * it judged by its right on `lock_anchor`, a column that cannot be changed. A redirector that counts has to read the
 * count and find the row.
 */
export const grants: Record<Exclude<Role, 'owner'>, readonly Grant[]> = {
  operator: [
    ...on('campaigns', 'select insert update delete'),
    ...on('mirrors access_keys', 'select insert update'),
    ...on('mirror_history operator_audit', 'select insert'),
    ...on('current_mirrors migrations', 'select'),
    ...on(sequences, 'usage select update'),
    ...on('prune_history', 'execute'),
  ],
  service: [
    ...on('campaigns', 'select', ['id', 'owner_id', 'is_default']),
    ...on('campaigns', 'update', ['lock_anchor']),
    ...on('mirrors', 'select'),
    ...on('mirrors', 'update', ['target_url', 'updated_externally', 'updated_externally_at', 'updated_at']),
    ...on('access_keys', 'select', ['id', 'hash', 'owner_id', 'expires_at', 'revoked_at', 'last_used_at']),
    ...on('access_keys', 'update', ['last_used_at']),
    ...on('mirror_history', 'insert'),
    ...on('recent_moves', 'select'),
    ...on('migrations', 'select', ['name']),
  ],
  redirector: [
    ...on('current_mirrors', 'select'),
    ...on('mirrors', 'select', ['campaign_id', 'clicks']),
    ...on('mirrors', 'update', ['clicks']),
  ],
};

/** The statements that grant the roles of these names their rights, which differ between versions. They have to exist. */
export function grantTexts(names: readonly string[]): string[] {
  const ours = (Object.keys(grants) as (keyof typeof grants)[]).filter((role) => names.includes(roles[role]));
  return ours.flatMap((role) => [
    `grant usage on schema ${schema} to ${roles[role]}`,
    ...grants[role].map((grant) => grantText(grant, roles[role])),
    // For imports, where it was revoked from public.
    ...(role === 'operator' ? [databaseGrantText('temporary', role)] : []),
  ]);
}

function grantText({ right, on, columns }: Grant, role: string): string {
  const kind = right === 'execute' ? 'function' : on.endsWith('_seq') ? 'sequence' : 'table';
  return `grant ${right} ${columns ? `(${columns.join(', ')})` : ''} on ${kind} ${schema}.${on} to ${role}`;
}

/** Grants a right on the database itself where it is missing; only its owner can. */
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
