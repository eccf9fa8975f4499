-- Returns the changes committed after a position, ordered by number, each with the next position. Without new changes
-- it returns no row. For null it returns the present position without a change. A position contains a snapshot
-- (PostgreSQL, transaction ID and snapshot information): no transaction that was running at the last poll is missed.
-- All statements of a stable function see the same snapshot.
create or replace function campaign_mirror.changes_since(since text)
returns table ("position" text, change_id bigint, campaign_id bigint, target_url text, changed_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
  #variable_conflict use_column
  declare
    -- Transaction numbers can be used again after a backend crashed: that resets the statistics and ends all backends,
    -- but the start time stays. A manual reset of the statistics keeps the backend.
    start_time constant text := extract(epoch from pg_postmaster_start_time()) || ',';
    reset_time constant text := coalesce(extract(epoch from (select stats_reset from pg_stat_bgwriter)), 0) || ',';
    backend constant text := pg_backend_pid() || '/';
    current_snapshot constant pg_snapshot := pg_current_snapshot();
    next_position constant text := start_time || reset_time || backend
      || case when pg_is_in_recovery() then 'standby/' else 'primary/' end || current_snapshot;
    server constant text := split_part(since, '/', 1) || '/';
    -- A standby may have been promoted since.
    made_by constant text := split_part(since, '/', 2);
    seen pg_snapshot;
    lowest xid8;
    running xid8[] := '{}';
  begin
    -- A snapshot does not name its own transaction, whose later changes would be lost.
    if pg_current_xact_id_if_assigned() is not null then
      raise invalid_transaction_state using message = 'this transaction has already written',
        hint = 'Ask for changes in a transaction of its own.';
    end if;
    if since is null then
      return query select next_position, null::bigint, null::bigint, null::text, null::timestamptz;
      return;
    end if;
    begin
      seen := split_part(since, '/', 3)::pg_snapshot;
    exception when data_exception then
      -- An invalid snapshot stays null.
    end;
    if made_by not in ('primary', 'standby') or since is distinct from server || made_by || '/' || seen
      or (server like start_time || reset_time || '%' or server like start_time || '%,' || backend) is not true
      or pg_snapshot_xmax(seen) > pg_snapshot_xmax(current_snapshot)
    then
      raise invalid_parameter_value using
        message = 'this position is of another server, or of this one before its last start or reset of statistics',
        hint = 'Ask for a new position with null, and read again what you keep.';
    end if;
    if made_by = 'primary' then
      -- New changes are those of transactions that began after the snapshot or were running: the index finds them.
      lowest := pg_snapshot_xmax(seen);
      running := array(select pg_snapshot_xip(seen));
    else
      -- The snapshot of a standby does not list running transactions: some changes are returned twice.
      lowest := pg_snapshot_xmin(seen);
    end if;
    return query
      select next_position, new.id, new.campaign_id, new.address_after, new.changed_at
      from (
        select * from campaign_mirror.mirror_history
        where transaction_id >= lowest and transaction_id < pg_snapshot_xmax(current_snapshot)
        union all
        select * from campaign_mirror.mirror_history where transaction_id = any (running)
      ) as new order by new.id;
  end
$$;

-- Adds to the clicks of mirrors, without waiting for locks. Returns the campaigns whose mirror was locked: count them
-- again. At most 1000 campaigns, because updates of their mirrors wait for this statement.
create or replace function campaign_mirror.count_clicks(campaigns bigint[], counts bigint[]) returns setof bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
  #variable_conflict use_column
  begin
    if campaigns is null or counts is null or array_ndims(campaigns) > 1 or array_ndims(counts) > 1
      or cardinality(campaigns) > 1000 or exists (
        -- The shorter array is extended with nulls.
        select from unnest(campaigns, counts) as input (campaign_id, n)
        where (input.campaign_id is not null and input.n >= 1) is not true)
    then
      raise invalid_parameter_value using
        message = 'campaigns and counts must be two arrays of one dimension and the same length, without nulls',
        hint = 'Give at most 1000 campaigns, and counts of at least 1.';
    end if;
    return query
      with input as materialized (
        select input.campaign_id, sum(input.n) as n
        from unnest((select campaigns), (select counts)) as input (campaign_id, n) group by 1
      ), found as materialized (
        select mirrors.id, input.campaign_id, input.n
        from input join campaign_mirror.mirrors on mirrors.campaign_id = input.campaign_id
      ), locked as materialized (
        select mirrors.id from campaign_mirror.mirrors where mirrors.id = any (array(select found.id from found))
        for no key update skip locked
      ), counted as (
        update campaign_mirror.mirrors set clicks = least(clicks + found.n, 9007199254740991)::bigint
        from found join locked on locked.id = found.id where mirrors.id = found.id
      )
      select found.campaign_id from found where found.id not in (select locked.id from locked);
  end
$$;

-- Changes that came from another server get the lowest transaction number. Only the owner can do this; the lock of
-- `alter table` excludes writers until the transaction ends.
do $$ begin
  if not exists (select from campaign_mirror.transactions_ahead) then return; end if;
  alter table campaign_mirror.mirror_history disable trigger append_only;
  update campaign_mirror.mirror_history set transaction_id = '3'
  where transaction_id in (select transaction_id from campaign_mirror.transactions_ahead);
  alter table campaign_mirror.mirror_history enable trigger append_only;
end $$;
