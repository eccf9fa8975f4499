/*
 * The feed of changes, and the counting of clicks: with the view `current_mirrors`, all that a redirector may use.
 *
 * A position of the feed is a snapshot (PostgreSQL, section 9.27.10, transaction ID and snapshot information), so that no
 * transaction that was running at the last look is missed, however long it runs, and none holds the others back.
 */

export const transactionOfAChange = `
  alter table campaign_mirror.mirror_history add column transaction_id xid8 not null default pg_current_xact_id();
  create index changes_by_transaction on campaign_mirror.mirror_history (transaction_id);`;

export const changesSince = `
  create or replace function campaign_mirror.changes_since(since text)
  returns table ("position" text, change_id bigint, campaign_id bigint, target_url text, changed_at timestamptz)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
    #variable_conflict use_column
    declare
      -- Statistics are reset when the server recovers from a crash of a backend, after which numbers of transactions can
      -- be given again; the start time of the server stays.
      server constant text := extract(epoch from pg_postmaster_start_time()) || ','
        || coalesce(extract(epoch from (select stats_reset from pg_stat_bgwriter)), 0) || '/';
      here constant pg_snapshot := pg_current_snapshot();
      next constant text := server || case when pg_is_in_recovery() then 'standby/' else 'primary/' end || here;
      seen pg_snapshot;
      -- The snapshot of a standby names no running transactions: after one, some changes come twice.
      is_exact constant boolean := split_part(since, '/', 2) = 'primary';
    begin
      -- A snapshot leaves one's own transaction out: its later changes would be lost.
      if not pg_is_in_recovery() and pg_current_xact_id_if_assigned() is not null then
        raise invalid_transaction_state using message = 'ask for changes in a transaction that has written nothing';
      end if;
      if since is null then
        return query select next, null::bigint, null::bigint, null::text, null::timestamptz;
        return;
      end if;
      if not starts_with(since, server) then
        raise invalid_parameter_value using message = 'this position is of another server, or of this one before its start',
          hint = 'Ask for a new position with null, and read anew what you keep.';
      end if;
      seen := split_part(since, '/', 3)::pg_snapshot;
      if is_exact then
        -- Not visible in the last snapshot: its transaction began after it, or was running. By index, whatever runs for long.
        return query select next, h.id, h.campaign_id, h.address_after, h.changed_at
          from campaign_mirror.mirror_history as h
          where (h.transaction_id >= pg_snapshot_xmax(seen) or h.transaction_id = any (array(select pg_snapshot_xip(seen))))
            -- Not those that a dump brought from a server that was further.
            and h.transaction_id < pg_snapshot_xmax(here)
          order by h.id;
      else
        return query select next, h.id, h.campaign_id, h.address_after, h.changed_at
          from campaign_mirror.mirror_history as h
          where h.transaction_id >= pg_snapshot_xmin(seen) and h.transaction_id < pg_snapshot_xmax(here)
          order by h.id;
      end if;
    end
  $$;`;

export const countClicks = `
  create or replace function campaign_mirror.count_clicks(campaigns bigint[], counts bigint[]) returns setof bigint
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    #variable_conflict use_column
    begin
      return query
        with asked as materialized (
          select asked.campaign_id, sum(asked.n) as n
          from unnest((select campaigns), (select counts)) as asked (campaign_id, n) where asked.n > 0 group by 1
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
  $$;`;
