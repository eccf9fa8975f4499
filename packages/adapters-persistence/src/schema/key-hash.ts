import { hash, randomBytes } from 'node:crypto';
import { accessKeyBytes, accessKeyFrom, displayedPart } from '@campaign-mirror/domain';

/**
 * The only form in which a key is stored: the SHA-256 of its ASCII bytes (contract: keys). 256 random bits need no
 * salt.
 */
export function keyHash(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** A new key, and what is stored of it. */
export function newKey() {
  const key = accessKeyFrom(randomBytes(accessKeyBytes));
  return { key, hash: keyHash(key), displayed: displayedPart(key) };
}
