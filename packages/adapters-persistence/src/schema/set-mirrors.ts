import { addressPattern } from './mirror-triggers.ts';

/*
 * The one text that changes an address, for callers and for the operator. It is a function of its owner's rights, so
 * that no other role needs the right to write mirrors or their history.
 *
 * A mirror carries the facts that the rules judge, so that one row lock keeps all of them: a writer that had to wait
 * reads them again from the row as it is then (PostgreSQL, section 13.2.1, READ COMMITTED). The lock is taken in a step
 * of its own, because only what is read under it is still true at the write: the address that is really replaced, and
 * the time, which is taken after the lock.
 *
 * The arrays come from subqueries, so that the planner assumes the same size for any number of members and keeps one
 * plan. The limits keep it from scanning a whole small table for a few members.
 */

/** True if the key is valid and belongs to this owner, or if the caller has no key; otherwise null. */
const isProven = (key: string, owner: string) => `(case when ${key} is null then true else (
          select true from campaign_mirror.access_keys as one where one.id = ${key} and one.owner_id = ${owner}
            and one.revoked_at is null and (one.expires_at is null or one.expires_at > clock_timestamp())) end)`;

/**
 * The time of a change: later than the mirror's last one, even if that lies ahead of the server's clock. A time that only
 * the owner of the tables can have written, such as infinity, stays within the contract's format.
 */
const timeAfter = (last: string) =>
  `greatest(clock_timestamp(), least(${last}, timestamptz '9999-12-31 23:59:59.999998Z') + interval '1 microsecond')`;

/** Which mirrors may be set, by the facts that the locked row contains; null: the fact does not matter. */
const isAsSeen = (owner: string, isDefault: string, expected: string) => `
            (${owner} is null or mirrors.owner_id = ${owner})
              and (${isDefault} is null or mirrors.is_default = ${isDefault})
              and (${expected} is null or mirrors.target_url = ${expected})`;

/**
 * Whether the number of the mirror's last change, 0 if it never changed, satisfies a condition: one of a list, such as
 * `{12,15}`, or none of it, `!{12}`; null: any. It is one text for each member, since arrays of arrays are flattened.
 */
const holds = (condition: string, last: string) => `(case when ${condition} is null then true
              when starts_with(${condition}, '!') then coalesce(${last}, 0) <> all (substr(${condition}, 2)::bigint[])
              else coalesce(${last}, 0) = any (${condition}::bigint[]) end)`;

/** Of a row of the history. */
const changeColumns = `id, previous_id, campaign_id, mirror_id, actor, access_key_id, subject, owner_id, address_before,
  address_after, changed_at, request_id, audit_id`;

const locked = (lockOption: string) => `
          select * into mirror from campaign_mirror.mirrors
          where mirrors.campaign_id = campaigns[1] and ${isAsSeen('owners[1]', 'defaults[1]', 'expected[1]')}
            and ${isProven('keys[1]', 'owners[1]')}
          for no key update${lockOption};`;

/**
 * For one member: it takes half of the time of the statement for many, and is the only form that may wait. What was not set
 * gets its row from the statement for many.
 */
const settingOne = (entry: string) => `
        if waits then ${locked('')}
        else ${locked(' skip locked')}
        end if;
        if found and ${holds('conditions[1]', 'mirror.last_change_id')} then
          change_id := nextval('campaign_mirror.mirror_history_id_seq');
          now := ${timeAfter('mirror.updated_at')};
          update campaign_mirror.mirrors
          set target_url = addresses[1], updated_externally = true, updated_externally_at = now, updated_at = now,
            last_change_id = change_id
          where mirrors.id = mirror.id;
          if found then
            insert into campaign_mirror.mirror_history (${changeColumns})
            values (change_id, mirror.last_change_id, mirror.campaign_id, mirror.id, actors[1], keys[1], subjects[1],
              mirror.owner_id, mirror.target_url, addresses[1], now, requests[1], ${entry});
            place := 1;
            mirror_id := mirror.id;
            clicks := mirror.clicks;
            created_at := extract(epoch from mirror.created_at);
            changed_at := extract(epoch from now);
            return next;
            return;
          end if;
        end if;`;

const asked = `asked as materialized (
        select asked.*, ${isProven('asked.access_key_id', 'asked.seen_owner_id')} as is_proven
        from unnest((select campaigns), (select owners), (select defaults), (select addresses), (select expected),
            (select keys), (select actors), (select subjects), (select requests), (select conditions)) with ordinality
          as asked (campaign_id, seen_owner_id, seen_is_default, address, expected_address, access_key_id, actor, subject,
            request_id, condition, place)
      )`;

/** Members whose mirror is locked are passed over. */
const settingMany = (entry: string) => `
      return query
      with ${asked}, changed as (
        update campaign_mirror.mirrors
        set target_url = timed.address, updated_externally = true, updated_externally_at = timed.now,
          updated_at = timed.now, last_change_id = timed.change_id
        from (
          select locked.*, ${timeAfter('locked.updated_at')} as now,
            nextval('campaign_mirror.mirror_history_id_seq') as change_id
          from (
            select asked.*, mirrors.id as mirror_id, mirrors.clicks, mirrors.created_at, mirrors.updated_at,
              mirrors.target_url as address_before, mirrors.last_change_id as previous_id, mirrors.owner_id as owner_then
            from asked join campaign_mirror.mirrors on mirrors.campaign_id = asked.campaign_id
            where asked.is_proven and ${isAsSeen('asked.seen_owner_id', 'asked.seen_is_default', 'asked.expected_address')}
              and ${holds('asked.condition', 'mirrors.last_change_id')}
            for no key update of mirrors skip locked
          ) as locked
        ) as timed
        where mirrors.id = timed.mirror_id
        returning timed.*
      ), recorded as (
        insert into campaign_mirror.mirror_history (${changeColumns})
        select change_id, previous_id, campaign_id, mirror_id, actor, access_key_id, subject, owner_then,
          address_before, address, now, request_id, ${entry}
        from changed
      )
      select place, mirror_id, clicks, extract(epoch from created_at), extract(epoch from now), change_id,
        null::boolean, null::bigint, null::boolean, null::boolean, null::boolean, null::boolean, null::text, null::boolean,
        null::numeric, null::numeric
      from changed
      union all
      select asked.place, mirror.id, mirror.clicks, extract(epoch from mirror.created_at), null, coalesce(mirror.last_change_id, 0),
        asked.is_proven, judged.owner_id, judged.is_default, mirror.id is not null,
        coalesce(mirror.target_url = asked.expected_address, true), ${holds('asked.condition', 'mirror.last_change_id')},
        mirror.target_url, mirror.updated_externally, extract(epoch from mirror.updated_externally_at), extract(epoch from mirror.updated_at)
      from asked
      left join lateral (
        select one.owner_id, one.is_default from campaign_mirror.campaigns as one where one.id = asked.campaign_id limit 1
      ) as judged on true
      left join lateral (
        select one.* from campaign_mirror.mirrors as one where one.campaign_id = asked.campaign_id limit 1
      ) as mirror on true
      where asked.place not in (select place from changed);`;

/**
 * What no address can be, and what would mislead a reader of the history. It is examined for all members together, since a
 * check of each row takes ten times as long. A cast to `varchar` cuts what is longer.
 */
const refuseTexts = String.raw`
      if array_to_string(addresses, ' ') collate "C" !~ '^(?:${addressPattern}(?: |$))+$'
        or array_to_string(actors, ' ') collate "C" !~ '^(?:[a-z][a-z0-9-]{0,19}(?: |$))+$'
        or strpos(array_to_string(addresses || actors, '') collate "C", ' ') > 0
        or array_to_string(requests, '') collate "C" ~ '[^!-~]' or '' = any(requests || subjects)
        or array_to_string(subjects, '') collate "C" ~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]'
        or addresses::varchar(2048)[]::text[] <> addresses or requests::varchar(128)[]::text[] <> requests
          or subjects::varchar(200)[]::text[] <> subjects
      then
        raise check_violation using
          message = 'this is no address of a mirror, or no actor, subject or request id: an address has at most 2048 characters,'
            ' http:// or https://, no white space, no control characters';
      end if;`;

const parameters = `campaigns bigint[], owners bigint[], defaults boolean[], addresses text[], expected text[],
    keys bigint[], actors text[], subjects text[], requests text[]`;

const results = `place bigint, mirror_id bigint, clicks bigint, created_at numeric, changed_at numeric, change_id bigint,
    caller_is_valid boolean, owner_id bigint, is_default boolean, has_mirror boolean, address_is_as_expected boolean,
    condition_holds boolean, target_url text, updated_externally boolean, updated_externally_at numeric, updated_at numeric`;

/**
 * The body of both functions: `before` runs before the mirrors are set; `entry` is the number of the entry in the
 * audit. At a stricter level, a statement would judge the key and the facts as they were when its transaction began.
 */
const body = (before: string, entry: string) => `language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
    #variable_conflict use_column
    declare
      mirror campaign_mirror.mirrors;
      now timestamptz(6);
    begin${before}
      if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
        raise object_not_in_prerequisite_state using
          message = format('mirrors are set at READ COMMITTED only, and this transaction is %s', current_setting('transaction_isolation')),
          hint = 'Run: alter role … set default_transaction_isolation = ''read committed''';
      end if;${refuseTexts}
      if cardinality(campaigns) = 1 then ${settingOne(entry)}
      elsif waits then
        raise invalid_parameter_value using message = 'a statement that waits is for one campaign';
      end if;${settingMany(entry)}
    end
  $$;`;

const refuseOperator = `
      if 'operator' = any(actors) then
        raise insufficient_privilege using message = 'the operator acts by set_mirrors_as_operator_if';
      end if;`;

/**
 * For callers. Each member has one row, in any order, with its place in the arrays from 1 up. If the mirror was set, the
 * row has the mirror, the time of the change and its number. Otherwise it has whether the caller is valid, the campaign as
 * the statement saw it (owner null: it does not exist), whether the address was the expected one and the condition held, and
 * the mirror as it is. If all of that is as expected, the mirror is locked by another transaction. An expectation or a
 * condition of null accepts anything. Of the members of one campaign, at most one may name its owner. A statement that
 * waits is for one campaign: two with several could deadlock.
 */
const setMirrorsIf = `
  create or replace function campaign_mirror.set_mirrors_if(${parameters}, conditions text[], waits boolean)
  returns table (${results})
  ${body(refuseOperator, 'null::bigint')}`;

/** The same with an entry in the audit. Only the next function executes it. */
const setMirrorsWithEntry = `
  create or replace function campaign_mirror.set_mirrors_with_entry(${parameters}, conditions text[], waits boolean,
    entry bigint) returns table (${results})
  ${body('', 'entry')}`;

/**
 * The same for the operator, with its entry in the audit. The entry has the numbers of the first and the last change,
 * and each change has the number of the entry. A move is several entries, one for each transaction: all but the first
 * are part of it. `audited_owner` is the owner that the entry names. Each row has the number of the entry, which is
 * there if any mirror was set.
 */
const setMirrorsAsOperatorIf = `
  create or replace function campaign_mirror.set_mirrors_as_operator_if(
    campaigns bigint[], owners bigint[], defaults boolean[], addresses text[], expected text[], conditions text[],
    waits boolean, act text, operator text, request_id text, audited_owner bigint, details jsonb, part_of bigint
  ) returns table (${results}, entry bigint) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    #variable_conflict use_column
    declare
      new_entry constant bigint := nextval('campaign_mirror.operator_audit_id_seq');
      many constant integer := cardinality(campaigns);
      is_move constant boolean := act = 'mirrors-moved';
      lowest constant bigint := (select last_value from campaign_mirror.mirror_history_id_seq);
    begin
      if act not in ('mirror-set', 'mirror-restored', 'mirrors-moved') or not is_move and many <> 1
      then raise invalid_parameter_value using message = 'there is no such act'; end if;
      if part_of is not null and not exists (select from campaign_mirror.operator_audit as move
        where move.id = set_mirrors_as_operator_if.part_of and move.act = 'mirrors-moved' and move.part_of is null)
      then raise invalid_parameter_value using message = 'there is no such move'; end if;
      return query select made.*, new_entry from campaign_mirror.set_mirrors_with_entry(
        campaigns, owners, defaults, addresses, expected, array_fill(null::bigint, array[many]),
        array_fill('operator'::text, array[many]), array_fill(null::text, array[many]),
        array_fill(request_id, array[many]), conditions, waits, new_entry) as made;
      insert into campaign_mirror.operator_audit
        (id, act, operator, request_id, campaign_id, owner_id, details, part_of, first_change_id, last_change_id)
      overriding system value
      select new_entry, act, operator, set_mirrors_as_operator_if.request_id,
        case when not is_move then min(campaign_id) end, audited_owner, details || case when is_move then jsonb_build_object('mirrors', count(*)) else
          jsonb_build_object('address_before', min(address_before), 'address_after', min(address_after)) end,
        part_of, min(id), max(id)
      from campaign_mirror.mirror_history where id >= lowest and audit_id = new_entry having count(*) > 0;
    end
  $$;`;

export const setMirrorsFunctions = `${setMirrorsIf}${setMirrorsWithEntry}${setMirrorsAsOperatorIf}`;
