-- Triggers record each act of the operator, with the role and the time. Settings of the transaction give the operator,
-- the request, and details that no row contains, such as the name of an imported file. Facts of the row override them.

create or replace function campaign_mirror.note(act text, campaign_id bigint, owner_id bigint, access_key_id bigint,
  details jsonb, last_change_id bigint default null) returns bigint language sql
set search_path = pg_catalog, pg_temp as $$
  insert into campaign_mirror.operator_audit
    (act, operator, request_id, campaign_id, owner_id, access_key_id, details, last_change_id)
  select act, coalesce(nullif(current_setting('campaign_mirror.operator', true), ''), session_user),
    coalesce(nullif(current_setting('campaign_mirror.request_id', true), ''), gen_random_uuid()::text),
    -- Only triggers may give this detail of a deleted mirror: the history continues from its address.
    campaign_id, owner_id, access_key_id,
    case when jsonb_typeof(given) = 'object' then given - 'target_url' else given end || details, last_change_id
  from (
    select coalesce(nullif(current_setting('campaign_mirror.details', true), ''), '{}')::jsonb as given) as settings
  returning id
$$;

-- The format of times in details; infinity stays a word.
create or replace function campaign_mirror.time_text(timestamptz) returns text language sql stable as $$
  select coalesce(to_char($1 at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), $1::text)
$$;

-- Records created rows by the numbers of their campaigns. An import has one entry for all campaigns and one for all
-- mirrors, with their numbers, such as `1-3,7`; above 1000 rows, with the first and the last number.
create or replace function campaign_mirror.note_created(what text, numbers bigint[], owner_id bigint, details jsonb)
returns bigint language sql set search_path = pg_catalog, pg_temp as $$
  select case
    when many > 1 or current_setting('campaign_mirror.details', true) like '%"source"%' then
      campaign_mirror.note(what || 's-imported', null, null, null, (
        select jsonb_build_object(what || 's', many, 'numbers', case
          when many > 1000 then concat(min(number), '-', max(number))
          else (select string_agg(concat_ws('-', lower(part), nullif(upper(part) - 1, lower(part))), ',')
            from unnest(range_agg(int8range(number, number, '[]'))) as part) end)
        from unnest(numbers) as number))
    when many = 1 then campaign_mirror.note(what || '-created', numbers[1], owner_id, null, details) end
  from coalesce(cardinality(numbers), 0) as many
$$;

create or replace function campaign_mirror.record_created_campaigns() returns trigger language plpgsql
security definer set search_path = pg_catalog, pg_temp as $$
  begin
    perform campaign_mirror.note_created('campaign', array_agg(id), min(owner_id),
      jsonb_build_object('default', bool_and(is_default), 'name', min(name))) from created;
    return null;
  end
$$;
create or replace trigger record_created after insert on campaign_mirror.campaigns referencing new table as created
  for each statement execute function campaign_mirror.record_created_campaigns();

create or replace function campaign_mirror.record_campaign() returns trigger language plpgsql
security definer set search_path = pg_catalog, pg_temp as $$
  declare
    mirror campaign_mirror.mirrors;
    name constant jsonb := jsonb_build_object('name', old.name);
  begin
    if tg_op = 'DELETE' then
      -- The lock makes sure that the entry has the last address and change.
      select * into mirror from campaign_mirror.mirrors where campaign_id = old.id for update;
      perform campaign_mirror.note('campaign-deleted', old.id, old.owner_id, null,
        name || jsonb_build_object('default', old.is_default) || case when mirror.id is null then '{}' else
          jsonb_build_object('target_url', mirror.target_url, 'clicks', mirror.clicks) end, mirror.last_change_id);
      return old;
    end if;
    if new.owner_id <> old.owner_id then
      perform campaign_mirror.note('campaign-transferred', new.id, new.owner_id, null,
        name || jsonb_build_object('owner_id_before', old.owner_id, 'default', new.is_default));
    end if;
    if new.is_default <> old.is_default then
      perform campaign_mirror.note(
        case when new.is_default then 'default-set' else 'default-unset' end, new.id, new.owner_id, null, name);
    end if;
    return new;
  end
$$;
create or replace trigger record before update or delete on campaign_mirror.campaigns
  for each row execute function campaign_mirror.record_campaign();

-- Creating a mirror again is a change from the deleted address to the new one.
create or replace function campaign_mirror.record_created_mirrors() returns trigger language plpgsql
security definer set search_path = pg_catalog, pg_temp as $$
  declare
    entry constant bigint := (select campaign_mirror.note_created('mirror', array_agg(campaign_id), min(owner_id),
      jsonb_build_object('target_url', min(target_url))) from created);
  begin
    with returned as (
      select created.*, nextval('campaign_mirror.mirror_history_id_seq') as change_id,
        before.target_url as address_before, greatest(clock_timestamp(), (
          select changed_at + interval '1 microsecond' from campaign_mirror.mirror_history
          where id = created.last_change_id)) as now
      from created join lateral (
        select target_url from campaign_mirror.deletions
        where deletions.campaign_id = created.campaign_id order by id desc limit 1) as before on true
    ), recorded as (
      insert into campaign_mirror.mirror_history (id, previous_id, campaign_id, mirror_id, actor, owner_id,
        address_before, address_after, changed_at, request_id, audit_id)
      select change_id, returned.last_change_id, returned.campaign_id, returned.id, 'operator', returned.owner_id,
        address_before, target_url, now, acts.request_id, entry
      from returned join campaign_mirror.operator_audit as acts on acts.id = entry
    )
    update campaign_mirror.mirrors set last_change_id = returned.change_id, updated_at = returned.now
    from returned where mirrors.id = returned.id;
    return null;
  end
$$;
create or replace trigger record_created after insert on campaign_mirror.mirrors referencing new table as created
  for each statement execute function campaign_mirror.record_created_mirrors();

create or replace function campaign_mirror.record_deleted_mirror() returns trigger language plpgsql
security definer set search_path = pg_catalog, pg_temp as $$
  begin
    perform campaign_mirror.note('mirror-deleted', old.campaign_id, old.owner_id, null,
      jsonb_build_object('target_url', old.target_url, 'clicks', old.clicks), old.last_change_id);
    return old;
  end
$$;
-- If the campaign is deleted (depth 1), its own entry has these details.
create or replace trigger record_deleted before delete on campaign_mirror.mirrors
  for each row when (pg_trigger_depth() = 0) execute function campaign_mirror.record_deleted_mirror();

-- The operator has no right to delete mirrors: with it, a session could lock the whole table.
create or replace function campaign_mirror.delete_mirror(campaign bigint) returns void language sql
security definer set search_path = pg_catalog, pg_temp as $$
  delete from campaign_mirror.mirrors where campaign_id = campaign
$$;

-- The details of a key in its entries, without nulls.
create or replace function campaign_mirror.details_of_key(one campaign_mirror.access_keys) returns jsonb
language sql stable as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'name', one.name, 'hosts', array_to_string(one.hosts, ','), 'expires_at', campaign_mirror.time_text(one.expires_at),
    'revoked_at', campaign_mirror.time_text(one.revoked_at), 'replaced_by', one.replaced_by))
$$;

-- Each entry has the key after the act, and the earlier values of changed fields, such as `expires_at_before`.
create or replace function campaign_mirror.record_access_key() returns trigger language plpgsql
security definer set search_path = pg_catalog, pg_temp as $$
  declare
    -- `old` is null for an issued key.
    before constant jsonb := campaign_mirror.details_of_key(old);
    after constant jsonb := campaign_mirror.details_of_key(new);
    act constant text := case when tg_op = 'INSERT' then 'key-issued'
      when old.revoked_at is null and new.revoked_at is not null then 'key-revoked'
      when old.replaced_by is null and new.replaced_by is not null then 'key-rotated'
      else 'key-changed' end;
  begin
    perform campaign_mirror.note(act, null, new.owner_id, new.id, after || (
      select coalesce(jsonb_object_agg(key || '_before', value), '{}') from jsonb_each(before)
      where value is distinct from after->key));
    return null;
  end
$$;
create or replace trigger record after insert or update on campaign_mirror.access_keys
  for each row execute function campaign_mirror.record_access_key();
