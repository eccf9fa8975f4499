-- Parts of the schema that are missing or disabled, as after a restore that was killed.
with needed (kind, relation_name, names) as (values
  ('column', 'campaigns', '{id,owner_id,is_default,name,created_at}'),
  ('column', 'mirrors', '{id,campaign_id,owner_id,is_default,target_url,clicks,updated_externally}'),
  ('column', 'mirrors', '{updated_externally_at,created_at,updated_at,last_change_id}'),
  ('column', 'access_keys', '{id,hash,displayed,name,owner_id,hosts,created_at,expires_at,revoked_at,replaced_by}'),
  ('column', 'key_uses', '{access_key_id,used_at}'),
  ('column', 'mirror_history', '{id,previous_id,campaign_id,mirror_id,actor,access_key_id,subject,owner_id}'),
  ('column', 'mirror_history', '{address_before,address_after,changed_at,request_id,audit_id,transaction_id}'),
  ('column', 'operator_audit', '{id,acted_at,act,operator,database_role,request_id,campaign_id,owner_id}'),
  ('column', 'operator_audit', '{access_key_id,details,part_of,first_change_id,last_change_id}'),
  ('column', 'current_mirrors', '{campaign_id,target_url,updated_at}'),
  ('column', 'deletions', '{id,campaign_id,target_url,last_change_id}'),
  ('column', 'sequences_behind', '{sequence,mended_by}'),
  ('column', 'transactions_ahead', '{transaction_id}'),
  -- Each name begins with that of the table.
  ('constraint', 'campaigns', '{pkey,id_owner_id_is_default_key,id_check,owner_id_check}'),
  ('constraint', 'mirrors', '{pkey,campaign_id_key,id_check,clicks_check,campaign_id_owner_id_is_default_fkey}'),
  ('constraint', 'access_keys', '{pkey,hash_key,hash_check,hosts_check,id_check,owner_id_check}'),
  ('constraint', 'access_keys', '{expires_at_check,revoked_at_check,replaced_by_check}'),
  ('constraint', 'key_uses', '{pkey,access_key_id_fkey}'),
  ('constraint', 'mirror_history', '{pkey,check,check1,check2}'),
  ('constraint', 'operator_audit', '{pkey,id_check,operator_check,request_id_check,details_check}'),
  ('index', 'campaigns', '{one_default_campaign_an_owner}'),
  ('index', 'mirror_history', '{changes_by_transaction}'),
  ('trigger', 'campaigns', '{judge_row,record_created,record}'),
  ('trigger', 'mirrors', '{refuse_address,refuse_other_address,take_facts,record_created,record_deleted}'),
  ('trigger', 'access_keys', '{judge_row,make_key_use,record}'),
  ('trigger', 'mirror_history', '{append_only}'),
  ('trigger', 'operator_audit', '{append_only}'),
  ('function', null, '{find_keys(bytea[]),find_campaigns(bigint[])}'),
  ('function', null, '{"set_mirrors(bigint[], bigint[], boolean[], text[], text[], bigint[], text[], text[], text[], '
    'bigint[], boolean)"}')
)
select format('the %s %s is %s', kind, concat_ws(' on ', name, relation_name), state) as finding, case
  when kind in ('trigger', 'function') then 'run `./campaign-mirror migrate` as the owner of the schema'
  when state = 'disabled'
    then format('as a superuser, `alter table campaign_mirror.%s enable trigger all`', relation_name)
  when kind = 'column' then 'restore a backup (docs/how-to/backup-and-restore.md)'
  else 'as the owner of the schema, run its statement of adapters-persistence/src/schema/tables.sql' end as advice
from needed, unnest(names::text[]) as listed, lateral (
  select case kind when 'constraint' then relation_name || '_' || listed else listed end as name,
    to_regclass('campaign_mirror.' || relation_name) as relation
) as part, lateral (select case kind
  when 'column' then (select '' from pg_attribute where attrelid = relation and attname = name and not attisdropped)
  when 'function' then (select '' where to_regprocedure('campaign_mirror.' || name) is not null)
  when 'index' then (select '' from pg_index where indexrelid = to_regclass('campaign_mirror.' || name) and indisvalid)
  when 'trigger' then (
    select case tgenabled when 'O' then '' else 'disabled' end
    from pg_trigger where tgrelid = relation and tgname = name)
  when 'constraint' then (
    select case when exists (select from pg_trigger where tgconstraint = pg_constraint.oid and tgenabled <> 'O')
      then 'disabled' else '' end
    from pg_constraint where conrelid = relation and conname = name)
  end as found) as lookup, coalesce(found, 'missing') as state
where state <> ''
union all
-- A security definer function runs with the rights of its owner.
select format('the function %s is owned by another role', proname), format(
  'as a superuser, `alter function %s owner to %I`', pg_proc.oid::regprocedure, pg_get_userbyid(nspowner))
from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
where nspname = 'campaign_mirror' and prosecdef and proowner <> nspowner
union all
select format('triggers are disabled for "%s": its session_replication_role is %s', current_user, role),
  format('as a superuser, `alter role %1$I reset session_replication_role`, or the same with `in database %2$I`',
    current_user, current_database())
from current_setting('session_replication_role') as role where role <> 'origin'
order by finding
