-- The powers of the current user beyond its needs, and what it lacks of the rights that its role needs.
-- A user without a role is judged as the service.
with needed (whose, may, names) as (
  NEEDED_RIGHTS
), lacking as (
  select whose, may || ' on ' || name as one
  from needed cross join unnest(names::text[]) as name
    left join pg_class on relnamespace = 'campaign_mirror'::regnamespace and relname = split_part(name, '.', 1)
    left join pg_attribute on attrelid = pg_class.oid and attname = split_part(name, '.', 2)
    left join pg_proc on pronamespace = 'campaign_mirror'::regnamespace and proname = name
  where case
    when name = 'the database' then has_database_privilege(current_database(), may)
    when name = 'schema campaign_mirror' then has_schema_privilege('campaign_mirror', may)
    when may = 'execute' then has_function_privilege(pg_proc.oid, may)
    when relkind = 'S' then has_sequence_privilege(pg_class.oid, may)
    -- A column that is missing is another finding.
    when name like '%.%' then attnum is null or has_column_privilege(pg_class.oid, attnum, may)
    else has_table_privilege(pg_class.oid, may) end is not true
)
select to_json(rolname) as name, role, pg_get_userbyid(nspowner) as owner,
  concat_ws(', ', case when rolsuper then 'superuser' end, case when rolcreaterole then 'createrole' end,
    case when rolcreatedb then 'createdb' end, case when rolreplication then 'replication' end,
    case when rolbypassrls then 'bypassrls' end,
    case when pg_has_role(nspowner, 'usage') then 'owner of the schema' end) as powers,
  coalesce((select string_agg(one, ', ' order by one) from lacking where whose = role), '') as lacking
from pg_roles, pg_namespace, lateral (select case
  when pg_has_role(nspowner, 'usage') and not rolsuper then 'owner'
  when pg_has_role(to_regrole('campaign_mirror_operator'), 'usage') then 'operator'
  when pg_has_role(to_regrole('campaign_mirror_redirector'), 'usage')
    and pg_has_role(to_regrole('campaign_mirror_service'), 'usage') is not true then 'redirector'
  else 'service' end as role) as used
where rolname = current_user and nspname = 'campaign_mirror'
