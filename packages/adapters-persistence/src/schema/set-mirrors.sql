-- Only `set_each` changes addresses. `set_mirrors` and `set_mirrors_as_operator` call it with the rights of the owner:
-- no other role needs a right to write mirrors.
--
-- A mirror's row contains the facts that the rules check, so one row lock protects them: after a wait for the lock, the
-- row is read again (PostgreSQL, READ COMMITTED). The replaced address and the time are read under the lock.
--
-- PostgreSQL keeps a plan that it made while a table was small. So these functions forbid plans that scan a table: rows
-- are looked up one by one (`limit`) and updated by `ctid`. The arrays are subqueries: one plan serves any size.

-- Now, but after the mirror's last change, and at most the year 9999.
create or replace function campaign_mirror.time_after(last timestamptz) returns timestamptz language sql volatile as $$
  select greatest(clock_timestamp(), least(last, timestamptz '9999-12-31 23:59:59.999998Z') + interval '1 microsecond')
$$;

-- Sets mirrors and writes their history, with the operator's `entry`. Returns one row for each element, in any order.
create or replace function campaign_mirror.set_each(campaigns bigint[], owners bigint[], defaults boolean[],
  addresses text[], expected text[], keys bigint[], actors text[], subjects text[], requests text[],
  last_changes bigint[], waits boolean, entry bigint
) returns setof campaign_mirror.set_result language plpgsql as $$
  #variable_conflict use_column
  declare
    mirror campaign_mirror.mirrors;
    result campaign_mirror.set_result;
    now timestamptz(6);
  begin
    -- A stricter level would check the key and the facts in the state at the start of the transaction.
    if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
      raise object_not_in_prerequisite_state using
        message = format('mirrors are set at READ COMMITTED only, and this transaction is %s',
          current_setting('transaction_isolation')),
        hint = 'Run: alter role … set default_transaction_isolation = ''read committed''';
    end if;
    -- Joined by spaces, which no element may contain: this is ten times as fast as a check of each. A cast to `varchar`
    -- truncates long texts. The pattern is that of `is_address`.
    if '' = any (addresses || actors || subjects || requests)
      or array_position(addresses || actors || requests, null) > 0
      or strpos(array_to_string(addresses || actors, ''), ' ') > 0
      or array_to_string(addresses, ' ') collate "C" !~
        '^(?:[Hh][Tt][Tt][Pp][Ss]?://[^\u0001-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+(?: |$))+$'
      or array_to_string(actors, ' ') collate "C" !~ '^(?:[a-z][a-z0-9-]{0,19}(?: |$))+$'
      or array_to_string(requests, '') collate "C" ~ '[^!-~]'
      or array_to_string(subjects, '') collate "C" ~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]'
      or addresses::varchar(2048)[]::text[] <> addresses or requests::varchar(128)[]::text[] <> requests
      or subjects::varchar(200)[]::text[] <> subjects
    then
      raise check_violation using
        message = 'invalid address, actor, subject or request id: an address has at most 2048 characters, http:// or '
          'https://, no white space, no control characters';
    end if;
    if waits and cardinality(campaigns) <> 1 then
      raise invalid_parameter_value using message = 'a statement that waits must have one campaign';
    end if;

    -- This form for one element takes half the time. Only this form may wait.
    if cardinality(campaigns) = 1 then
      if waits then
        select * into mirror from campaign_mirror.mirrors
        where mirrors.campaign_id = campaigns[1] and coalesce(mirrors.owner_id = owners[1], true)
          and coalesce(mirrors.is_default = defaults[1], true) and coalesce(mirrors.target_url = expected[1], true)
        for no key update;
      else
        select * into mirror from campaign_mirror.mirrors
        where mirrors.campaign_id = campaigns[1] and coalesce(mirrors.owner_id = owners[1], true)
          and coalesce(mirrors.is_default = defaults[1], true) and coalesce(mirrors.target_url = expected[1], true)
        for no key update skip locked;
      end if;
      -- The key is checked after the wait: it may have been revoked meanwhile.
      if found and coalesce(coalesce(mirror.last_change_id, 0) = last_changes[1], true)
        and (keys[1] is null or exists (
          select from campaign_mirror.access_keys as one where one.id = keys[1] and one.owner_id = owners[1]
            and campaign_mirror.key_refusal(one.revoked_at, one.expires_at) is null))
      then
        result.change_id := nextval('campaign_mirror.mirror_history_id_seq');
        now := campaign_mirror.time_after(mirror.updated_at);
        update campaign_mirror.mirrors
        set target_url = addresses[1], updated_externally = true, updated_externally_at = now, updated_at = now,
          last_change_id = result.change_id
        where mirrors.id = mirror.id;
        -- A trigger can suppress the update.
        if found then
          insert into campaign_mirror.mirror_history (id, previous_id, campaign_id, mirror_id, actor, access_key_id,
            subject, owner_id, address_before, address_after, changed_at, request_id, audit_id)
          values (result.change_id, mirror.last_change_id, mirror.campaign_id, mirror.id, actors[1], keys[1],
            subjects[1], mirror.owner_id, mirror.target_url, addresses[1], now, requests[1], entry);
          result.place := 1;
          result.mirror_id := mirror.id;
          result.clicks := mirror.clicks;
          result.created_at := extract(epoch from mirror.created_at);
          result.changed_at := extract(epoch from now);
          result.entry := entry;
          return next result;
        end if;
      end if;
    end if;

    -- For several elements, and for the row of one that was not set. Locked mirrors are skipped.
    if result.place is null then
      return query
      with input as materialized (
        select input.*, input.access_key_id is null or (
            select one.owner_id = input.seen_owner_id
              and campaign_mirror.key_refusal(one.revoked_at, one.expires_at) is null
            from campaign_mirror.access_keys as one where one.id = input.access_key_id) is true as is_proven
        from unnest((select campaigns), (select owners), (select defaults), (select addresses), (select expected),
            (select keys), (select actors), (select subjects), (select requests), (select last_changes)) with ordinality
          as input (campaign_id, seen_owner_id, seen_is_default, address, expected_address, access_key_id, actor,
            subject, request_id, last_change_id, place)
      ), changed as (
        update campaign_mirror.mirrors
        set target_url = timed.address, updated_externally = true, updated_externally_at = timed.now,
          updated_at = timed.now, last_change_id = timed.change_id
        from (
          select locked.*, campaign_mirror.time_after(locked.updated_at) as now,
            nextval('campaign_mirror.mirror_history_id_seq') as change_id
          from (
            select input.*, mirrors.version, mirrors.id as mirror_id, mirrors.clicks, mirrors.created_at,
              mirrors.updated_at, mirrors.target_url as address_before, mirrors.last_change_id as previous_id,
              mirrors.owner_id as owner_then
            from input, lateral (
              select one.*, one.ctid as version from campaign_mirror.mirrors as one
              where one.campaign_id = input.campaign_id
                and coalesce(one.owner_id = input.seen_owner_id, true)
                and coalesce(one.is_default = input.seen_is_default, true)
                and coalesce(one.target_url = input.expected_address, true)
                and coalesce(coalesce(one.last_change_id, 0) = input.last_change_id, true)
              limit 1 for no key update skip locked
            ) as mirrors
            where input.is_proven
          ) as locked
        ) as timed
        -- A row that changed between the snapshot and the lock is not found: it counts as locked.
        where mirrors.ctid = timed.version
        returning timed.*
      ), recorded as (
        insert into campaign_mirror.mirror_history (id, previous_id, campaign_id, mirror_id, actor, access_key_id,
          subject, owner_id, address_before, address_after, changed_at, request_id, audit_id)
        select change_id, previous_id, campaign_id, mirror_id, actor, access_key_id, subject, owner_then,
          address_before, address, now, request_id, entry
        from changed
      )
      select place, mirror_id, clicks, extract(epoch from created_at), extract(epoch from now), change_id,
        null::boolean, null::bigint, null::boolean, null::text, null::boolean, null::numeric, null::numeric, entry
      from changed
      union all
      select input.place, mirrors.id, mirrors.clicks, extract(epoch from mirrors.created_at), null,
        coalesce(mirrors.last_change_id, 0), input.is_proven, campaigns.owner_id, campaigns.is_default,
        mirrors.target_url, mirrors.updated_externally, extract(epoch from mirrors.updated_externally_at),
        extract(epoch from mirrors.updated_at), entry
      from input
        left join lateral (
          select * from campaign_mirror.campaigns where id = input.campaign_id limit 1) as campaigns on true
        left join lateral (
          select * from campaign_mirror.mirrors where campaign_id = input.campaign_id limit 1) as mirrors on true
      where input.place not in (select place from changed);
    end if;
    if keys is not null then perform campaign_mirror.note_key_uses(keys); end if;
  end
$$;

-- For callers. An element is set if its campaign has a mirror, this owner, flag, address and last change (0: it never
-- changed), and its key is valid and belongs to the owner. Null means any, or a caller without a key. At most one
-- element of a campaign may name its owner. A statement that waits for a lock has one element, because two with several
-- could deadlock. Records the use of valid keys.
create or replace function campaign_mirror.set_mirrors(campaigns bigint[], owners bigint[], defaults boolean[],
  addresses text[], expected text[], keys bigint[], actors text[], subjects text[], requests text[],
  last_changes bigint[], waits boolean
) returns setof campaign_mirror.set_result language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    if 'operator' = any (actors) then
      raise insufficient_privilege using message = 'the operator must call set_mirrors_as_operator';
    end if;
    return query select * from campaign_mirror.set_each(
      campaigns, owners, defaults, addresses, expected, keys, actors, subjects, requests, last_changes, waits, null);
  end
$$;

-- For the operator: also writes an audit entry if any mirror was set. A move has an entry for each transaction; all but
-- the first are `part_of` it. A last entry without campaigns says that the move is finished.
create or replace function campaign_mirror.set_mirrors_as_operator(campaigns bigint[], owners bigint[],
  defaults boolean[], addresses text[], expected text[], last_changes bigint[], waits boolean,
  act text, operator text, request_id text, details jsonb, part_of bigint
) returns setof campaign_mirror.set_result language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  #variable_conflict use_column
  declare
    new_entry constant bigint := nextval('campaign_mirror.operator_audit_id_seq');
    many constant integer := cardinality(campaigns);
    is_move constant boolean := act = 'mirrors-moved';
    lowest constant bigint := (select last_value from campaign_mirror.mirror_history_id_seq);
  begin
    if act not in ('mirror-set', 'mirror-restored', 'mirrors-moved') or not is_move and many <> 1 then
      raise invalid_parameter_value using message = 'invalid act';
    end if;
    if part_of is not null and not exists (select from campaign_mirror.operator_audit as move
      where move.id = set_mirrors_as_operator.part_of and move.act = 'mirrors-moved' and move.part_of is null)
    then
      raise invalid_parameter_value using message = 'invalid move';
    end if;
    if many > 0 then
      return query select * from campaign_mirror.set_each(campaigns, owners, defaults, addresses, expected, null,
        array_fill('operator'::text, array[many]), null, array_fill(request_id, array[many]), last_changes, waits,
        new_entry);
    end if;
    insert into campaign_mirror.operator_audit
      (id, act, operator, request_id, campaign_id, owner_id, details, part_of, first_change_id, last_change_id)
    overriding system value
    select new_entry, act, operator, set_mirrors_as_operator.request_id,
      case when not is_move then min(campaign_id) end,
      -- Null for a move of any owner's mirrors.
      case when not is_move or array_position(owners, null) is null then min(owner_id) end,
      details || case when is_move then jsonb_build_object('mirrors', count(*)) else
        jsonb_build_object('address_before', min(address_before), 'address_after', min(address_after)) end,
      part_of, min(id), max(id)
    from campaign_mirror.mirror_history where id >= lowest and audit_id = new_entry
    having count(*) > 0 or many = 0 and part_of is not null;
  end
$$;
