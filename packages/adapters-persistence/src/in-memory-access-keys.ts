import { randomBytes } from 'node:crypto';
import {
  type AccessKey,
  type AccessKeyId,
  type AccessKeys,
  accessKeyBytes,
  accessKeyFrom,
  type Caller,
  type Identity,
  type NewAccessKey,
} from '@campaign-mirror/domain';
import type { InMemoryStore } from './in-memory-store.ts';
import { keyHash } from './key-hash.ts';

/** Access keys in memory: for tests, and for reuse where nothing need be kept. */
export class InMemoryAccessKeys implements AccessKeys, Identity {
  readonly #store: InMemoryStore;

  constructor(store: InMemoryStore) {
    this.#store = store;
  }

  async issue({ owner, name, expiresIn }: NewAccessKey): Promise<{ id: AccessKeyId; key: AccessKey }> {
    const key = accessKeyFrom(randomBytes(accessKeyBytes));
    const id = this.#store.nextId<AccessKeyId>();
    const microseconds = expiresIn === undefined ? undefined : BigInt(Math.round(expiresIn * 1e6));
    const expiresAt = microseconds === undefined ? undefined : this.#store.now() + microseconds;
    const stored = { id, ownerId: owner, name, expiresAt, revoked: false };
    this.#store.accessKeys.set(keyHash(key).toString('hex'), stored);
    return { id, key };
  }

  async revoke(id: AccessKeyId): Promise<boolean> {
    const stored = [...this.#store.accessKeys.values()].find((one) => one.id === id);
    if (!stored) return false;
    stored.revoked = true;
    return true;
  }

  async whoIs(key: AccessKey): Promise<Caller | undefined> {
    const stored = this.#store.accessKeys.get(keyHash(key).toString('hex'));
    if (!stored || stored.revoked) return undefined;
    if (stored.expiresAt !== undefined && stored.expiresAt <= this.#store.now()) return undefined;
    return { ownerId: stored.ownerId, accessKeyId: stored.id };
  }
}
