-- The feed of changes, and the counting of clicks: with the view `current_mirrors`, all that a redirector may use.
--
-- Every change that was committed after a position, in the order of their numbers, each with the next position. Nothing
-- new: no row, and the position stays. Null: the present position, and no change. A position is a snapshot (PostgreSQL,
-- transaction ID and snapshot information): no transaction that was running at the last poll is missed, however long it
-- runs. All statements of a stable function see the snapshot of the call.
create or replace function campaign_mirror.changes_since(since text)
returns table ("position" text, change_id bigint, campaign_id bigint, target_url text, changed_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
  #variable_conflict use_column
  declare
    -- After the crash of a backend, numbers of transactions can be given again: statistics are reset, the start time
    -- stays. A reset of statistics alone keeps the backend; a crash ends it.
    started constant text := extract(epoch from pg_postmaster_start_time()) || ',';
    reset constant text := coalesce(extract(epoch from (select stats_reset from pg_stat_bgwriter)), 0) || ',';
    backend constant text := pg_backend_pid() || '/';
    server constant text := started || reset || backend;
    here constant pg_snapshot := pg_current_snapshot();
    next constant text := server || case when pg_is_in_recovery() then 'standby/' else 'primary/' end || here;
    given constant text := split_part(since, '/', 1) || '/';
    -- Where the position was taken, not where it is used: a standby may have been promoted in between.
    place constant text := split_part(since, '/', 2);
    seen pg_snapshot;
    lowest xid8;
    running xid8[] := '{}';
  begin
    -- A snapshot leaves one's own transaction out: its later changes would be lost. A standby gives none a number.
    if pg_current_xact_id_if_assigned() is not null then
      raise invalid_transaction_state using message = 'this transaction has already written',
        hint = 'Ask for changes in a transaction of its own.';
    end if;
    if since is null then
      return query select next, null::bigint, null::bigint, null::text, null::timestamptz;
      return;
    end if;
    begin
      seen := split_part(since, '/', 3)::pg_snapshot;
    exception when data_exception then
      -- No snapshot: it is still null.
    end;
    if place not in ('primary', 'standby') or since is distinct from given || place || '/' || seen
      or (given like started || reset || '%' or given like started || '%,' || backend) is not true
      or pg_snapshot_xmax(seen) > pg_snapshot_xmax(here)
    then
      raise invalid_parameter_value using
        message = 'this position is of another server, or of this one before its last start or reset of statistics',
        hint = 'Ask for a new position with null, and read again what you keep.';
    end if;
    if place = 'primary' then
      -- New is what began after that snapshot, or was running. By index, however long something runs.
      lowest := pg_snapshot_xmax(seen);
      running := array(select pg_snapshot_xip(seen));
    else
      -- The snapshot of a standby does not name what was running: some changes come twice.
      lowest := pg_snapshot_xmin(seen);
    end if;
    return query
      select next, new.id, new.campaign_id, new.address_after, new.changed_at
      from (
        -- Not those that came from another server and lie ahead.
        select * from campaign_mirror.mirror_history
        where transaction_id >= lowest and transaction_id < pg_snapshot_xmax(here)
        union all
        select * from campaign_mirror.mirror_history where transaction_id = any (running)
      ) as new order by new.id;
  end
$$;

-- Adds to the clicks of many mirrors, and returns the campaigns to count again, since their mirror was locked: it waits
-- for no lock. A campaign without a mirror is ignored, and a count stops at 2^53-1. At most 1000, because an update of
-- a mirror waits for the statement that counts its clicks.
create or replace function campaign_mirror.count_clicks(campaigns bigint[], counts bigint[]) returns setof bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
  #variable_conflict use_column
  begin
    if campaigns is null or counts is null or array_ndims(campaigns) > 1 or array_ndims(counts) > 1
      or cardinality(campaigns) > 1000 or exists (
        -- The shorter array continues with nulls.
        select from unnest(campaigns, counts) as asked (campaign_id, n)
        where (asked.campaign_id is not null and asked.n >= 1) is not true)
    then
      raise invalid_parameter_value using
        message = 'campaigns and counts must be two arrays of one dimension and the same length, without nulls',
        hint = 'Give at most 1000 campaigns, and counts of at least 1.';
    end if;
    return query
      with asked as materialized (
        select asked.campaign_id, sum(asked.n) as n
        from unnest((select campaigns), (select counts)) as asked (campaign_id, n) group by 1
      ), there as materialized (
        select mirrors.id, asked.campaign_id, asked.n
        from asked join campaign_mirror.mirrors on mirrors.campaign_id = asked.campaign_id
      ), locked as materialized (
        select mirrors.id from campaign_mirror.mirrors where mirrors.id = any (array(select there.id from there))
        for no key update skip locked
      ), counted as (
        update campaign_mirror.mirrors set clicks = least(clicks + there.n, 9007199254740991)::bigint
        from there join locked on locked.id = there.id where mirrors.id = there.id
      )
      select there.campaign_id from there where there.id not in (select locked.id from locked);
  end
$$;

-- Gives changes of another server the first number of all. Only the owner can, and only this: the trigger is enabled
-- again when the transaction ends, and the lock keeps writers out until then.
do $$ begin
  if not exists (select from campaign_mirror.transactions_ahead) then return; end if;
  alter table campaign_mirror.mirror_history disable trigger append_only;
  update campaign_mirror.mirror_history set transaction_id = '3'
  where transaction_id in (select transaction_id from campaign_mirror.transactions_ahead);
  alter table campaign_mirror.mirror_history enable trigger append_only;
end $$;
