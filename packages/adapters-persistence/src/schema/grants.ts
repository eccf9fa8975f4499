/** The database roles of least privilege, which `ops/roles.sql` creates. The owner migrates the schema. */
export const roles = {
  owner: 'campaign_mirror_owner',
  operator: 'campaign_mirror_operator',
  service: 'campaign_mirror_service',
  redirector: 'campaign_mirror_redirector',
} as const;

/** One of the four roles of least privilege. */
export type Role = keyof typeof roles;

/**
 * Gives the roles that exist their rights in this version, and takes away those that they had in another one: a right
 * on a column goes with that on its table. Nobody but the owner writes addresses, their history or the audit, except
 * through the functions and triggers of the schema.
 */
export const grants = `
  do $$ begin
    -- By default, everybody may execute a function, as after a dump that was restored without privileges.
    revoke execute on all functions in schema campaign_mirror from public;

    if to_regrole('campaign_mirror_operator') is not null then
      revoke all on all tables in schema campaign_mirror from campaign_mirror_operator cascade;
      revoke all on all sequences in schema campaign_mirror from campaign_mirror_operator cascade;
      revoke all on all functions in schema campaign_mirror from campaign_mirror_operator cascade;
      grant usage on schema campaign_mirror to campaign_mirror_operator;
      grant select, insert, delete, update (owner_id, is_default)
        on campaign_mirror.campaigns to campaign_mirror_operator;
      -- The database sets the other columns, such as last_change_id. To delete a mirror locks it: a right to update.
      grant select, update (clicks), insert (id, campaign_id, target_url, clicks, updated_externally,
        updated_externally_at, created_at, updated_at) on campaign_mirror.mirrors to campaign_mirror_operator;
      grant select, insert, update (expires_at, revoked_at, replaced_by)
        on campaign_mirror.access_keys to campaign_mirror_operator;
      grant select on
        campaign_mirror.mirror_history,
        campaign_mirror.operator_audit,
        campaign_mirror.key_uses,
        campaign_mirror.current_mirrors,
        campaign_mirror.migrations,
        campaign_mirror.sequences_behind,
        campaign_mirror.transactions_ahead
        to campaign_mirror_operator;
      -- Imports keep the numbers of campaigns.
      grant usage, select, update on sequence campaign_mirror.campaigns_id_seq, campaign_mirror.mirrors_id_seq
        to campaign_mirror_operator;
      grant execute on function
        campaign_mirror.prune_history,
        campaign_mirror.note_key_uses,
        campaign_mirror.changes_since,
        campaign_mirror.set_mirrors_if,
        campaign_mirror.set_mirrors_as_operator_if
        to campaign_mirror_operator;
      -- Imports need it. Where the user does not own the database, ops/roles.sql grants it.
      if exists (
        select from pg_database where datname = current_database() and pg_has_role(datdba, 'usage')
          and not has_database_privilege('campaign_mirror_operator', oid, 'temporary')
      ) then
        execute format('grant temporary on database %I to campaign_mirror_operator', current_database());
      end if;
    end if;

    if to_regrole('campaign_mirror_service') is not null then
      revoke all on all tables in schema campaign_mirror from campaign_mirror_service cascade;
      revoke all on all sequences in schema campaign_mirror from campaign_mirror_service cascade;
      revoke all on all functions in schema campaign_mirror from campaign_mirror_service cascade;
      grant usage on schema campaign_mirror to campaign_mirror_service;
      grant select (id, owner_id, is_default) on campaign_mirror.campaigns to campaign_mirror_service;
      grant select (campaign_id) on campaign_mirror.mirrors to campaign_mirror_service;
      grant select (id, hash, owner_id, hosts, expires_at, revoked_at, replaced_by)
        on campaign_mirror.access_keys to campaign_mirror_service;
      grant select (name) on campaign_mirror.migrations to campaign_mirror_service;
      grant select on campaign_mirror.sequences_behind, campaign_mirror.transactions_ahead to campaign_mirror_service;
      grant execute on function
        campaign_mirror.set_mirrors_if,
        campaign_mirror.note_key_uses
        to campaign_mirror_service;
    end if;

    if to_regrole('campaign_mirror_redirector') is not null then
      revoke all on all tables in schema campaign_mirror from campaign_mirror_redirector cascade;
      revoke all on all sequences in schema campaign_mirror from campaign_mirror_redirector cascade;
      revoke all on all functions in schema campaign_mirror from campaign_mirror_redirector cascade;
      grant usage on schema campaign_mirror to campaign_mirror_redirector;
      grant select on campaign_mirror.current_mirrors to campaign_mirror_redirector;
      grant execute on function campaign_mirror.changes_since, campaign_mirror.count_clicks
        to campaign_mirror_redirector;
    end if;
  end $$`;

/** Lists what the current user lacks of the rights above that the service or the operator ($1) needs. */
export const lackingRightsText = `
  with needed (who, may, names) as (values
    ('service', 'usage', '{schema campaign_mirror}'),
    ('service', 'select', '{campaigns.id, campaigns.owner_id, campaigns.is_default, mirrors.campaign_id}'),
    ('service', 'select', '{access_keys.id, access_keys.hash, access_keys.owner_id}'),
    ('service', 'select', '{access_keys.hosts, access_keys.expires_at, access_keys.revoked_at}'),
    ('service', 'select', '{access_keys.replaced_by, migrations.name}'),
    ('service', 'select', '{sequences_behind, transactions_ahead}'),
    ('service', 'execute', '{set_mirrors_if, note_key_uses}'),
    ('operator', 'usage', '{schema campaign_mirror, campaigns_id_seq, mirrors_id_seq}'),
    ('operator', 'temporary', '{the database}'),
    ('operator', 'select', '{campaigns, mirrors, access_keys, mirror_history, operator_audit, key_uses}'),
    ('operator', 'select', '{current_mirrors, migrations, sequences_behind, transactions_ahead}'),
    ('operator', 'insert', '{campaigns, mirrors.target_url, access_keys}'),
    ('operator', 'update', '{campaigns.owner_id, campaigns.is_default, mirrors.clicks}'),
    ('operator', 'update', '{access_keys.expires_at, access_keys.revoked_at, access_keys.replaced_by}'),
    ('operator', 'delete', '{campaigns}'),
    ('operator', 'execute', '{prune_history, note_key_uses, changes_since}'),
    ('operator', 'execute', '{set_mirrors_if, set_mirrors_as_operator_if}')
  ),
  relations as (select oid, relname, relkind from pg_class where relnamespace = 'campaign_mirror'::regnamespace),
  held (may, name) as (
    select may, relname from relations, unnest('{select,insert,update,delete}'::text[]) as may
    where has_table_privilege(oid, may)
    union all
    select may, relname || '.' || attname
    from relations join pg_attribute on attrelid = oid, unnest('{select,insert,update}'::text[]) as may
    where has_column_privilege(oid, attnum, may)
    union all
    select 'usage', relname from relations where case relkind when 'S' then has_sequence_privilege(oid, 'usage') end
    union all
    select 'execute', proname from pg_proc
    where pronamespace = 'campaign_mirror'::regnamespace and has_function_privilege(oid, 'execute')
    union all
    select 'usage', 'schema campaign_mirror' where has_schema_privilege('campaign_mirror', 'usage')
    union all
    select 'temporary', 'the database' where has_database_privilege(current_database(), 'temporary')
  )
  select may || ' on ' || name as lacking from needed, unnest(names::text[]) as name
  where who = $1 and (may, name) not in (select may, name from held)
  order by 1`;
