import { hash, randomBytes } from 'node:crypto';
import { accessKeyBytes, accessKeyFrom } from '@campaign-mirror/domain';
import { displayedPart } from '@campaign-mirror/domain/operator';

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
