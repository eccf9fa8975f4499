-- The powers of the current user beyond its needs, and what it lacks of the rights in grants.sql that its role needs:
-- the operator, if it is one, or else the service.
with needed (role, may, names) as (values
  ('service', 'usage', '{schema campaign_mirror}'),
  ('service', 'select', '{access_keys.expires_at, access_keys.revoked_at, access_keys.replaced_by}'),
  ('service', 'select', '{migrations.name, sequences_behind, transactions_ahead}'),
  ('service', 'execute', '{set_mirrors, find_keys, find_campaigns}'),
  ('operator', 'usage', '{schema campaign_mirror, campaigns_id_seq, mirrors_id_seq}'),
  ('operator', 'temporary', '{the database}'),
  ('operator', 'select', '{campaigns, mirrors, access_keys, mirror_history, operator_audit, key_uses}'),
  ('operator', 'select', '{current_mirrors, deletions, migrations, sequences_behind, transactions_ahead}'),
  ('operator', 'insert', '{campaigns, mirrors.target_url, access_keys}'),
  ('operator', 'update', '{campaigns.owner_id, campaigns.is_default, mirrors.clicks}'),
  ('operator', 'update', '{access_keys.expires_at, access_keys.revoked_at, access_keys.replaced_by}'),
  ('operator', 'delete', '{campaigns}'),
  ('operator', 'execute', '{prune_history, changes_since, find_keys, find_campaigns}'),
  ('operator', 'execute', '{set_mirrors, set_mirrors_as_operator}')
), lacking as (
  select role, may || ' on ' || name as one
  from needed cross join unnest(names::text[]) as name
    left join pg_class on relnamespace = 'campaign_mirror'::regnamespace and relname = split_part(name, '.', 1)
    left join pg_attribute on attrelid = pg_class.oid and attname = split_part(name, '.', 2)
    left join pg_proc on pronamespace = 'campaign_mirror'::regnamespace and proname = name
  where case
    when name = 'the database' then has_database_privilege(current_database(), may)
    when name = 'schema campaign_mirror' then has_schema_privilege('campaign_mirror', may)
    when may = 'execute' then has_function_privilege(pg_proc.oid, may)
    when relkind = 'S' then has_sequence_privilege(pg_class.oid, may)
    when name like '%.%' then has_column_privilege(pg_class.oid, attnum, may)
    else has_table_privilege(pg_class.oid, may) end is not true
)
select to_json(rolname) as name, whose as role, pg_get_userbyid(nspowner) as owner,
  concat_ws(', ', case when rolsuper then 'superuser' end, case when rolcreaterole then 'createrole' end,
    case when rolcreatedb then 'createdb' end, case when rolreplication then 'replication' end,
    case when rolbypassrls then 'bypassrls' end,
    case when pg_has_role(nspowner, 'usage') then 'owner of the schema' end) as powers,
  coalesce((select string_agg(one, ', ' order by one) from lacking where role = whose), '') as lacking
from pg_roles, pg_namespace, lateral (select case
  when pg_has_role(to_regrole('campaign_mirror_operator'), 'usage') then 'operator' else 'service' end as whose) as used
where rolname = current_user and nspname = 'campaign_mirror'
