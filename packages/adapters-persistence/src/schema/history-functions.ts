/** The history and the audit only grow, except that `prune_history` deletes from the history. */
export const appendOnly = `
  create function campaign_mirror.refuse_to_change_history() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and tg_table_name = 'mirror_history'
        and current_setting('campaign_mirror.pruning', true) = 'on' then return null; end if;
      raise exception '%.% is append-only', tg_table_schema, tg_table_name;
    end
  $$;
  create trigger append_only before update or delete or truncate on campaign_mirror.mirror_history
    for each statement execute function campaign_mirror.refuse_to_change_history();
  create trigger append_only before update or delete or truncate on campaign_mirror.operator_audit
    for each statement execute function campaign_mirror.refuse_to_change_history();`;

/**
 * The only way to delete from the history: it runs with its owner's rights, records what it did, and keeps at least the
 * last day, which has 24 hours in every time zone. A step examines the next changes by their numbers, and deletes the
 * old ones; older changes have lower numbers.
 */
export const pruning = `
  create function campaign_mirror.prune_history(
    older_than timestamptz, after_id bigint, step integer, act_operator text, act_request_id text,
    out last_id bigint, out pruned bigint
  ) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
      if older_than > now() - interval '24 hours' then
        raise exception 'history of the last day is never pruned' using errcode = '22023';
      end if;
      perform set_config('campaign_mirror.pruning', 'on', true);
      with looked as materialized (
        select id, changed_at < older_than as old from campaign_mirror.mirror_history
        where id > after_id order by id limit step
      ), deleted as (
        delete from campaign_mirror.mirror_history where id = any (array(select looked.id from looked where old))
        returning 1
      )
      select (select max(id) from looked), (select count(*) from deleted) into last_id, pruned;
      perform set_config('campaign_mirror.pruning', 'off', true);
      if pruned > 0 then
        insert into campaign_mirror.operator_audit (act, operator, request_id, details)
        values ('history-pruned', act_operator, act_request_id, jsonb_build_object('changes', pruned, 'older_than',
          to_char(older_than at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')));
      end if;
    end
  $$;`;
