import type { Role } from './roles.ts';

/** What is imported or restored keeps its numbers: then the next ones move on. */
const sequences = ['campaigns', 'mirrors', 'access_keys', 'mirror_history', 'operator_audit'].map(
  (table) => `campaign_mirror.${table}_id_seq`,
);

/**
 * What each role may do, and nothing else. The owner's rights come with owning.
 * The service locks the campaign that it judged by its right on `lock_anchor`, a column that can not be changed.
 * A redirector that counts has to read the count and to find the row.
 */
export const grants: Record<Exclude<Role, 'owner'>, readonly string[]> = {
  operator: [
    'select, insert, update, delete on campaign_mirror.campaigns',
    'select, insert, update on campaign_mirror.mirrors, campaign_mirror.access_keys',
    'select, insert on campaign_mirror.mirror_history, campaign_mirror.operator_audit',
    'select on campaign_mirror.current_mirrors, campaign_mirror.migrations',
    `usage, select, update on sequence ${sequences.join(', ')}`,
    'execute on function campaign_mirror.prune_history(timestamptz, bigint, bigint, integer, text, text)',
  ],
  service: [
    'select (id, owner_id, is_default), update (lock_anchor) on campaign_mirror.campaigns',
    'select, update (target_url, updated_externally, updated_externally_at, updated_at) on campaign_mirror.mirrors',
    'select (id, hash, owner_id, expires_at, revoked_at, last_used_at) on campaign_mirror.access_keys',
    'update (last_used_at) on campaign_mirror.access_keys',
    'insert on campaign_mirror.mirror_history',
    'select (name) on campaign_mirror.migrations',
  ],
  redirector: [
    'select on campaign_mirror.current_mirrors',
    'select (campaign_id, clicks), update (clicks) on campaign_mirror.mirrors',
  ],
};

/**
 * What the service needs, asked of the catalogue in its own session; the answer names what is missing. A table can
 * not even be asked about without the right to use its schema: then no right on it is of any use.
 */
export const missingRightsSql = `
  select need.right_needed from (values
    ('usage on schema campaign_mirror', has_schema_privilege('campaign_mirror', 'usage')),
    ${serviceNeeds()
      .map(
        ([table, column, right]) =>
          `('${right} (${column}) on ${table}', case when has_schema_privilege('campaign_mirror', 'usage')
            then has_column_privilege('${table}', '${column}', '${right}') else false end)`,
      )
      .join(',\n    ')}
  ) as need (right_needed, granted) where not need.granted`;

function serviceNeeds(): [table: string, column: string, right: string][] {
  const on = (table: string, right: string, ...columns: string[]) =>
    columns.map((column): [string, string, string] => [`campaign_mirror.${table}`, column, right]);
  const written = ['target_url', 'updated_externally', 'updated_externally_at', 'updated_at'];
  return [
    ...on('campaigns', 'select', 'id', 'owner_id', 'is_default'),
    ...on('campaigns', 'update', 'lock_anchor'),
    ...on('mirrors', 'select', 'id', 'campaign_id', 'clicks', 'created_at', ...written),
    ...on('mirrors', 'update', ...written),
    ...on('access_keys', 'select', 'id', 'hash', 'owner_id', 'expires_at', 'revoked_at', 'last_used_at'),
    ...on('access_keys', 'update', 'last_used_at'),
    ...on('mirror_history', 'insert', 'campaign_id', 'mirror_id', 'actor', 'access_key_id', 'owner_id'),
    ...on('mirror_history', 'insert', 'address_before', 'address_after', 'changed_at', 'request_id'),
    ...on('migrations', 'select', 'name'),
  ];
}
