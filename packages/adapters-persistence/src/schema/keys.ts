import { hash, randomBytes } from 'node:crypto';
import { accessKeyBytes, accessKeyFrom, displayedPart } from '@campaign-mirror/domain';

/** The only form in which a key is stored (contract: keys): its SHA-256. 256 random bits need no salt. */
export function keyHash(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** A new key, and what is stored of it. */
export function newKey() {
  const key = accessKeyFrom(randomBytes(accessKeyBytes));
  return { key, hash: keyHash(key), displayed: displayedPart(key) };
}

/** The keys to replace within a time, an interval of SQL: in use until then, and no other has replaced them. */
export const isExpiringWithin = (interval: string) => `revoked_at is null and replaced_by is null
  and expires_at > now() and expires_at <= now() + ${interval}`;

/**
 * Notes that keys were used, to the minute. It passes over rows that another session has locked: their next use is noted.
 * New rows are inserted in the order of their numbers, so that two processes cannot wait for each other.
 */
export const noteKeyUses = `
  create or replace function campaign_mirror.note_key_uses(keys bigint[]) returns void language sql
  security definer set search_path = pg_catalog, pg_temp as $$
    with older as materialized (
      select access_key_id from campaign_mirror.key_uses
      where access_key_id = any (keys) and used_at < clock_timestamp() - interval '1 minute'
      for no key update skip locked
    )
    update campaign_mirror.key_uses as uses set used_at = clock_timestamp()
    from older where older.access_key_id = uses.access_key_id;
    insert into campaign_mirror.key_uses (access_key_id, used_at)
    select id, clock_timestamp() from campaign_mirror.access_keys
    where id = any (keys) and not exists (select from campaign_mirror.key_uses where access_key_id = id)
    order by id on conflict do nothing;
  $$;`;
