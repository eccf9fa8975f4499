-- What the current user lacks of the rights in grants.sql that the service or the operator ($1) needs.
with needed (who, may, names) as (values
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
order by 1
