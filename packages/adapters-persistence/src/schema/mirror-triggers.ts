/** What the database itself refuses and adds when somebody writes a campaign, a mirror or a key, by whatever role. */

/** Entries of the audit that have the last address of a mirror that is no longer there. */
export const isDeletion =
  "deletion.act in ('campaign-deleted', 'mirror-deleted') and deletion.details ? 'target_url'";

/**
 * What no address can be; never stricter than `mirrorAddress` of the domain. White space and control characters are named
 * by their code points, since a class of them depends on the locale.
 */
export const isNoAddress = (column: string) =>
  `(length(${column}) > 2048 or ${column} collate "C" !~ '^${addressPattern}$')`;
export const addressPattern = String.raw`[Hh][Tt][Tt][Pp][Ss]?://[^\u0001-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+`;

/**
 * An older row keeps the address that it has, and takes clicks as any other. `set_mirrors_if` examines its addresses by
 * itself, and gives each mirror another last change: for an update of a few rows, PostgreSQL spends more time on the
 * preparation of a condition of this length than on all the rest of the trigger.
 */
const addresses = `
  create or replace function campaign_mirror.refuse_address() returns trigger language plpgsql
  set search_path = pg_catalog, pg_temp as $$
    begin
      if new.target_url = old.target_url or not ${isNoAddress('new.target_url')} then return null; end if;
      raise check_violation using message = 'this is no address of a mirror: at most 2048 characters, http:// or https://,'
        ' no white space, no control characters';
    end
  $$;
  create or replace trigger refuse_address after insert on campaign_mirror.mirrors
    for each row when (${isNoAddress('new.target_url')}) execute function campaign_mirror.refuse_address();
  create or replace trigger refuse_other_address after update of target_url on campaign_mirror.mirrors
    for each row when (not new.last_change_id is distinct from old.last_change_id) execute function campaign_mirror.refuse_address();`;

/** Whether a time lies outside the years 1 to 9999. */
const isBefore = (time: string) => `${time} < to_timestamp('-62135596800'::bigint)`;
const isAfter = (time: string) => `${time} >= to_timestamp('253402300800'::bigint)`;
/** Whether it lies more than an hour ahead. */
const isAhead = (time: string) => `${time} > clock_timestamp() + make_interval(hours => 1)`;

const timesOfMirror = 'new.created_at, new.updated_at, new.updated_externally_at';

/** Times that have passed: up to an hour ahead, the other clock is wrong, and it is now; beyond, the time is. */
const times = `
  create or replace function campaign_mirror.refuse_time() returns trigger language plpgsql
  set search_path = pg_catalog, pg_temp as $$
    begin
      raise datetime_field_overflow using message = format(
        'a time of this row of %s lies more than an hour ahead, before the year 1, or after 9999', tg_table_name);
    end
  $$;
  create or replace function campaign_mirror.set_time_to_now() returns trigger language plpgsql
  set search_path = pg_catalog, pg_temp as $$
    begin
      new.created_at := clock_timestamp();
      return new;
    end
  $$;
  ${['campaigns', 'access_keys']
    .map(
      (table) => `
  create or replace trigger refuse_time before insert on campaign_mirror.${table} for each row
    when (${isBefore('new.created_at')} or ${isAhead('new.created_at')})
    execute function campaign_mirror.refuse_time();
  create or replace trigger set_time_to_now before insert on campaign_mirror.${table} for each row
    when (new.created_at > clock_timestamp()) execute function campaign_mirror.set_time_to_now();`,
    )
    .join('')}
  create or replace trigger refuse_end before insert or update of expires_at, revoked_at on campaign_mirror.access_keys
    for each row when (${isBefore('new.expires_at')} or ${isAfter('new.expires_at')} and new.expires_at <> 'infinity'
      or ${isBefore('new.revoked_at')} or ${isAfter('new.revoked_at')})
    execute function campaign_mirror.refuse_time();
  create or replace trigger refuse_time before insert on campaign_mirror.mirrors for each row
    when (${isBefore(`least(${timesOfMirror})`)} or ${isAhead(`greatest(${timesOfMirror})`)})
    execute function campaign_mirror.refuse_time();`;

/**
 * What a mirror gets when it is created: the facts of its campaign, and the last change of an earlier mirror of that
 * number.
 */
const facts = `
  create or replace function campaign_mirror.take_facts_of_the_campaign() returns trigger language plpgsql
  set search_path = pg_catalog, pg_temp as $$
    begin
      select owner_id, is_default into new.owner_id, new.is_default
      from campaign_mirror.campaigns where id = new.campaign_id;
      if not found then
        raise foreign_key_violation using message = format('there is no campaign %s', new.campaign_id);
      end if;
      new.last_change_id := (
        select deletion.last_change_id from campaign_mirror.operator_audit as deletion
        where deletion.campaign_id = new.campaign_id and ${isDeletion} order by deletion.id desc limit 1);
      new.created_at := least(new.created_at, clock_timestamp());
      new.updated_at := least(new.updated_at, clock_timestamp());
      if new.updated_externally_at > new.updated_at then new.updated_externally_at := new.updated_at; end if;
      return new;
    end
  $$;
  create or replace trigger take_facts before insert on campaign_mirror.mirrors
    for each row execute function campaign_mirror.take_facts_of_the_campaign();`;

export const mirrorTriggers = `${addresses}${times}${facts}`;
