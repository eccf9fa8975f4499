-- Why a key is refused; null if it is valid. PostgreSQL inlines this function.
create or replace function campaign_mirror.key_refusal(revoked_at timestamptz, expires_at timestamptz) returns text
language sql volatile as $$
  select case when revoked_at is not null then 'revoked-key' when expires_at <= clock_timestamp() then 'expired-key' end
$$;

-- Each key has a row of its uses from the beginning: an update can skip a locked row, an insert cannot.
create or replace function campaign_mirror.make_key_use() returns trigger language plpgsql
security definer set search_path = pg_catalog, pg_temp as $$
  begin
    insert into campaign_mirror.key_uses (access_key_id) values (new.id) on conflict do nothing;
    return null;
  end
$$;
create or replace trigger make_key_use after insert on campaign_mirror.access_keys
  for each row execute function campaign_mirror.make_key_use();
-- Replicated keys do not fire the trigger, so their rows are added here.
insert into campaign_mirror.key_uses (access_key_id) select id from campaign_mirror.access_keys on conflict do nothing;

-- Records a use of those of these keys that are valid, at most once a minute for each. Waits for no lock.
create or replace function campaign_mirror.note_key_uses(keys bigint[]) returns void language plpgsql as $$
  declare
    minute_ago constant timestamptz := clock_timestamp() - interval '1 minute';
  begin
    -- Almost always false, and far cheaper than an update of no row.
    if exists (select from campaign_mirror.key_uses
      where access_key_id = any (keys) and coalesce(used_at, '-infinity') < minute_ago)
    then
      update campaign_mirror.key_uses set used_at = clock_timestamp()
      where access_key_id = any (array(
        select access_key_id from campaign_mirror.key_uses
        where access_key_id = any (keys) and coalesce(used_at, '-infinity') < minute_ago
          and (select campaign_mirror.key_refusal(revoked_at, expires_at) is null
            from campaign_mirror.access_keys where id = access_key_id)
        for no key update skip locked));
    end if;
  end
$$;

-- The keys with these hashes. `place` is the index in the array, from 1. Records the use of the valid ones.
create or replace function campaign_mirror.find_keys(hashes bytea[])
returns table (place bigint, id bigint, owner_id bigint, refused text, hosts text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  #variable_conflict use_column
  declare
    valid bigint[];
  begin
    for place, id, owner_id, refused, hosts in
      select input.place, keys.id, keys.owner_id, campaign_mirror.key_refusal(keys.revoked_at, keys.expires_at),
        array_to_string(keys.hosts, ',')
      from unnest((select hashes)) with ordinality as input (hash, place),
        lateral (select * from campaign_mirror.access_keys where access_keys.hash = input.hash limit 1) as keys
    loop
      if refused is null then valid := valid || id; end if;
      return next;
    end loop;
    if valid is not null then perform campaign_mirror.note_key_uses(valid); end if;
  end
$$;

-- The facts that the rules check, of the campaigns that exist. `place` is the index in the array, from 1.
create or replace function campaign_mirror.find_campaigns(campaigns bigint[])
returns table (place bigint, owner_id bigint, is_default boolean, has_mirror boolean) language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  #variable_conflict use_column
  begin
    return query
      select input.place, found.owner_id, found.is_default,
        (select true from campaign_mirror.mirrors where campaign_id = input.id) is not null
      from unnest((select campaigns)) with ordinality as input (id, place),
        lateral (select * from campaign_mirror.campaigns as one where one.id = input.id limit 1) as found;
  end
$$;
