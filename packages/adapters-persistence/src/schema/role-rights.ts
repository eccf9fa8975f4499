/** The rights of each role. Only the owner writes addresses, the history and the audit; others call functions. */
const neededRights = `values
  ('service', 'usage', '{schema campaign_mirror}'),
  -- For the metric of keys that expire soon.
  ('service', 'select', '{access_keys.expires_at, access_keys.revoked_at, access_keys.replaced_by}'),
  ('service', 'select', '{migrations.name, sequences_behind, transactions_ahead}'),
  ('service', 'execute', '{set_mirrors, find_keys, find_campaigns}'),
  ('redirector', 'usage', '{schema campaign_mirror}'),
  ('redirector', 'select', '{current_mirrors}'),
  ('redirector', 'execute', '{changes_since, count_clicks}'),
  -- Imports advance the sequences and use a temporary table.
  ('operator', 'usage', '{schema campaign_mirror, campaigns_id_seq, mirrors_id_seq}'),
  ('operator', 'temporary', '{the database}'),
  ('operator', 'select', '{campaigns, mirrors, access_keys, mirror_history, operator_audit, key_uses, deletions}'),
  ('operator', 'select', '{current_mirrors, migrations, sequences_behind, transactions_ahead}'),
  ('operator', 'select', '{campaigns_id_seq, mirrors_id_seq}'),
  -- Triggers set the other columns. A deletion locks the mirror, for which it needs a right to update.
  ('operator', 'insert', '{campaigns, access_keys, mirrors.id, mirrors.campaign_id, mirrors.target_url}'),
  ('operator', 'insert', '{mirrors.clicks, mirrors.updated_externally, mirrors.updated_externally_at}'),
  ('operator', 'insert', '{mirrors.created_at, mirrors.updated_at}'),
  ('operator', 'update', '{campaigns.owner_id, campaigns.is_default, mirrors.clicks}'),
  ('operator', 'update', '{access_keys.expires_at, access_keys.revoked_at, access_keys.replaced_by}'),
  ('operator', 'update', '{campaigns_id_seq, mirrors_id_seq}'),
  ('operator', 'delete', '{campaigns}'),
  ('operator', 'execute', '{prune_history, delete_mirror, changes_since, find_keys, find_campaigns, set_mirrors}'),
  -- Triggers call the last two with the rights of the operator.
  ('operator', 'execute', '{set_mirrors_as_operator, is_address, passed}')`;

/** Grants the existing roles of `ops/roles.sql` their rights, and revokes all others. Locks no table. */
export const grants = `do $$ declare
  role text;
  kind text;
  needed record;
begin
  revoke execute on all functions in schema campaign_mirror from public;
  foreach role in array '{campaign_mirror_operator,campaign_mirror_service,campaign_mirror_redirector}'::text[] loop
    continue when to_regrole(role) is null;
    -- This also revokes the rights on columns.
    foreach kind in array '{tables,sequences,functions}'::text[] loop
      execute format('revoke all on all %s in schema campaign_mirror from %s cascade', kind, role);
    end loop;
    execute format('grant usage on schema campaign_mirror to %s', role);
    for needed in
      select privilege, split_part(object, '.', 1) as name,
        '(' || nullif(split_part(object, '.', 2), '') || ')' as columns
      from (${neededRights}) as listed (grantee, privilege, objects), unnest(objects::text[]) as object
      where role = 'campaign_mirror_' || grantee and object not like '% %'
    loop
      execute format('grant %s %s on %s campaign_mirror.%s to %s', needed.privilege, needed.columns,
        case needed.privilege when 'execute' then 'function' end, needed.name, role);
    end loop;
  end loop;

  -- Only the owner of the database can grant it; otherwise ops/roles.sql does.
  if exists (
    select from pg_database where datname = current_database() and pg_has_role(datdba, 'usage')
      and not has_database_privilege(to_regrole('campaign_mirror_operator'), oid, 'temporary')
  ) then
    execute format('grant temporary on database %I to campaign_mirror_operator', current_database());
  end if;

  -- It writes WAL without limit. Only a superuser can revoke it; otherwise doctor reports it.
  for needed in
    select oid::regprocedure as function from pg_proc
    where proname = 'pg_logical_emit_message' and pg_has_role(proowner, 'usage')
      and has_function_privilege('public', oid, 'execute')
  loop
    execute format('revoke execute on function %s from public', needed.function);
  end loop;
end $$`;

/**
 * One row if the schema exists: the `name` of the current user, its `role` (by default the service), the `owner` of the
 * schema, the user's `powers` that no role needs, and the rights that it is `lacking`.
 */
export const roleRightsText = `
with lacking as (
  select grantee, privilege || ' on ' || object as missing
  from (${neededRights}) as needed (grantee, privilege, objects) cross join unnest(objects::text[]) as object
    left join pg_class on relnamespace = 'campaign_mirror'::regnamespace and relname = split_part(object, '.', 1)
    left join pg_attribute on attrelid = pg_class.oid and attname = split_part(object, '.', 2)
    left join pg_proc on pronamespace = 'campaign_mirror'::regnamespace and proname = object
  where case
    when object = 'the database' then has_database_privilege(current_database(), privilege)
    when object = 'schema campaign_mirror' then has_schema_privilege('campaign_mirror', privilege)
    when privilege = 'execute' then has_function_privilege(pg_proc.oid, privilege)
    when relkind = 'S' then has_sequence_privilege(pg_class.oid, privilege)
    -- The check of the schema reports a missing column.
    when object like '%.%' then attnum is null or has_column_privilege(pg_class.oid, attnum, privilege)
    else has_table_privilege(pg_class.oid, privilege) end is not true
)
select to_json(rolname) as name, role, pg_get_userbyid(nspowner) as owner,
  concat_ws(', ', case when rolsuper then 'superuser' end, case when rolcreaterole then 'createrole' end,
    case when rolcreatedb then 'createdb' end, case when rolreplication then 'replication' end,
    case when rolbypassrls then 'bypassrls' end,
    case when pg_has_role(nspowner, 'usage') then 'owner of the schema' end) as powers,
  coalesce((select string_agg(missing, ', ' order by missing) from lacking where grantee = role), '') as lacking
from pg_roles, pg_namespace, lateral (select case
  when pg_has_role(nspowner, 'usage') and not rolsuper then 'owner'
  when pg_has_role(to_regrole('campaign_mirror_operator'), 'usage') then 'operator'
  when pg_has_role(to_regrole('campaign_mirror_redirector'), 'usage')
    and pg_has_role(to_regrole('campaign_mirror_service'), 'usage') is not true then 'redirector'
  else 'service' end as role) as used
where rolname = current_user and nspname = 'campaign_mirror'`;
