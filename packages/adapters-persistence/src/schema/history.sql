-- The history and the audit are append-only, except that `prune_history` deletes from the history.
create or replace function campaign_mirror.refuse_to_change_history() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
  begin
    if tg_op = 'DELETE' and tg_table_name = 'mirror_history'
      and current_setting('campaign_mirror.pruning', true) = 'on' then return null; end if;
    raise exception '%.% is append-only', tg_table_schema, tg_table_name;
  end
$$;
create or replace trigger append_only before delete or update or truncate on campaign_mirror.mirror_history
  for each statement execute function campaign_mirror.refuse_to_change_history();
create or replace trigger append_only before delete or update or truncate on campaign_mirror.operator_audit
  for each statement execute function campaign_mirror.refuse_to_change_history();

-- Deletes the first `step` changes older than `older_than` and numbered up to `up_to`, with an audit entry. It always
-- begins with the oldest change, and keeps the last 24 hours.
create or replace function campaign_mirror.prune_history(
  older_than timestamptz, up_to bigint, step integer, act_operator text, act_request_id text,
  out first_id bigint, out last_id bigint, out pruned bigint
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
  begin
    if older_than > now() - interval '24 hours' then
      raise invalid_parameter_value using message = 'history of the last day is never pruned';
    end if;
    perform set_config('campaign_mirror.pruning', 'on', true);
    with old as materialized (
      select id from campaign_mirror.mirror_history
      where id <= up_to and changed_at < older_than order by id limit step
    ), deleted as (
      delete from campaign_mirror.mirror_history where id = any (array(select old.id from old)) returning id
    )
    select min(id), max(id), count(*) from deleted into first_id, last_id, pruned;
    perform set_config('campaign_mirror.pruning', 'off', true);
    if pruned > 0 then
      insert into campaign_mirror.operator_audit (act, operator, request_id, details, first_change_id, last_change_id)
      values ('history-pruned', act_operator, act_request_id, jsonb_build_object('changes', pruned, 'first', first_id,
        'last', last_id, 'older_than', campaign_mirror.time_text(older_than)), first_id, last_id);
    end if;
  end
$$;
