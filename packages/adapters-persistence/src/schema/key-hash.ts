import { hash } from 'node:crypto';

/**
 * The only form in which a key is stored: the SHA-256 of its ASCII bytes (contract: keys). 256 random bits need no
 * salt.
 */
export function keyHash(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
