import type { AccessKeyId, KeyRotation, OwnerId, Timestamp } from '@campaign-mirror/domain';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Noting } from '../connection/audited.ts';
import { safeInteger } from '../connection/rows.ts';
import { newKey } from '../schema/key-hash.ts';
import { timestampText } from '../schema/schema.ts';

interface Judged {
  owner_id: string;
  replaced_by: string | null;
  revoked: boolean;
  expired: boolean;
}

/** Under its lock, so that the second of two simultaneous rotations sees the result of the first. */
const judge = `
  select owner_id, replaced_by, revoked_at is not null as revoked,
    coalesce(expires_at <= clock_timestamp(), false) as expired
  from campaign_mirror.access_keys where id = ? for update`;

/**
 * The life is counted from one moment and in seconds, because the length of a day varies where a time zone changes its
 * clocks. So it stays the same over any number of rotations.
 */
const add = `
  with timed as materialized (select clock_timestamp() as now)
  insert into campaign_mirror.access_keys (hash, displayed, name, owner_id, created_at, expires_at)
  select ?, ?, name, owner_id, now, now + make_interval(secs => extract(epoch from expires_at - created_at)::float8)
  from campaign_mirror.access_keys, timed where id = ?
  returning id`;

/** A key that never expires has null in `expires_at`, which `least` ignores. */
const replace = `
  update campaign_mirror.access_keys
  set expires_at = least(expires_at, clock_timestamp() + make_interval(secs => ?)), replaced_by = ?
  where id = ? returning ${timestampText('expires_at')} as expires_at`;

/** Replaces this key by a new one, in the transaction of `em`; see `AccessKeys`. */
export async function rotateKey(
  em: EntityManager,
  note: Noting,
  id: AccessKeyId,
  grace: number,
): Promise<KeyRotation> {
  const [old] = await em.execute<Judged[]>(judge, [id]);
  if (!old) return { kind: 'key-not-found' };
  if (old.revoked) return { kind: 'key-revoked' };
  if (old.replaced_by !== null) {
    return { kind: 'key-replaced', by: safeInteger(old.replaced_by) as AccessKeyId };
  }
  if (old.expired) return { kind: 'key-expired' };

  const ownerId = safeInteger(old.owner_id) as OwnerId;
  const { key, hash, displayed } = newKey();
  const [added] = await em.execute<[{ id: string }]>(add, [hash, displayed, id]);
  const next = safeInteger(added.id) as AccessKeyId;
  const [ending] = await em.execute<[{ expires_at: Timestamp }]>(replace, [grace, next, id]);
  await note({ act: 'key-rotated', accessKeyId: id, ownerId, details: { replaced_by: next, grace } });
  return { kind: 'rotated', id: next, key, ownerId, oldExpiresAt: ending.expires_at };
}
