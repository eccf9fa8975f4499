-- Checks and defaults for rows of campaigns, mirrors and keys, whichever role writes them.

-- Never stricter than `mirrorAddress` of the domain. It lists code points: character classes depend on the locale.
create or replace function campaign_mirror.is_address(text) returns boolean language sql immutable as $$
  select length($1) <= 2048 and $1 collate "C" ~
    '^[Hh][Tt][Tt][Pp][Ss]?://[^\u0001-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$'
$$;

-- A row may keep an older address. `set_each` changes the last change and checks addresses itself, which is faster.
create or replace function campaign_mirror.refuse_address() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
  begin
    if tg_op = 'UPDATE' and new.target_url = old.target_url or campaign_mirror.is_address(new.target_url) then
      return null;
    end if;
    raise check_violation using message = 'invalid address: a mirror has at most 2048 characters, http:// or https://, '
      'no white space, no control characters';
  end
$$;
create or replace trigger refuse_address after insert on campaign_mirror.mirrors
  for each row when (not campaign_mirror.is_address(new.target_url)) execute function campaign_mirror.refuse_address();
create or replace trigger refuse_other_address after update of target_url on campaign_mirror.mirrors
  for each row when (not new.last_change_id is distinct from old.last_change_id)
  execute function campaign_mirror.refuse_address();

-- The time of a new row, or now if that is earlier. A time more than an hour ahead, or before the year 1, is refused.
create or replace function campaign_mirror.passed(moment timestamptz) returns timestamptz language plpgsql as $$
  begin
    if moment < '0001-01-01 00:00:00Z' or moment > clock_timestamp() + interval '1 hour' then
      raise datetime_field_overflow using
        message = 'a time of this row is more than an hour ahead, before the year 1, or after 9999';
    end if;
    return case when moment > clock_timestamp() then clock_timestamp() else moment end;
  end
$$;
-- Only the owner of the tables may update a name.
create or replace function campaign_mirror.judge_row() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
  begin
    new.created_at := campaign_mirror.passed(new.created_at);
    if length(new.name) > 200 or tg_table_name = 'access_keys' and length(to_jsonb(new)->>'displayed') > 200 then
      raise check_violation using message = 'name and displayed have at most 200 characters';
    end if;
    return new;
  end
$$;
create or replace trigger judge_row before insert on campaign_mirror.campaigns
  for each row execute function campaign_mirror.judge_row();
create or replace trigger judge_row before insert on campaign_mirror.access_keys
  for each row execute function campaign_mirror.judge_row();

-- A new mirror copies the facts of its campaign, and continues the history of the campaign's deleted mirror.
create or replace function campaign_mirror.take_facts_of_the_campaign() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
  begin
    select owner_id, is_default into new.owner_id, new.is_default
    from campaign_mirror.campaigns where id = new.campaign_id;
    if not found then
      raise foreign_key_violation using message = format('there is no campaign %s', new.campaign_id);
    end if;
    new.last_change_id := (
      select last_change_id from campaign_mirror.deletions
      where deletions.campaign_id = new.campaign_id order by id desc limit 1);
    new.created_at := campaign_mirror.passed(new.created_at);
    new.updated_at := campaign_mirror.passed(new.updated_at);
    if campaign_mirror.passed(new.updated_externally_at) > new.updated_at then
      new.updated_externally_at := new.updated_at;
    end if;
    return new;
  end
$$;
create or replace trigger take_facts before insert on campaign_mirror.mirrors
  for each row execute function campaign_mirror.take_facts_of_the_campaign();
