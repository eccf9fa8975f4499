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
  type OperatorAct,
} from '@campaign-mirror/domain';
import { type InMemoryStore, somebody } from './in-memory-store.ts';
import { keyHash } from './key-hash.ts';

/** Access keys in memory: for tests, and for reuse where nothing need be kept. */
export class InMemoryAccessKeys implements AccessKeys, Identity {
  readonly #store: InMemoryStore;
  readonly #act: OperatorAct;

  constructor(store: InMemoryStore, act = somebody) {
    this.#store = store;
    this.#act = act;
  }

  async issue({ owner, name, expiresIn }: NewAccessKey): Promise<{ id: AccessKeyId; key: AccessKey }> {
    const key = accessKeyFrom(randomBytes(accessKeyBytes));
    const id = this.#store.nextId<AccessKeyId>();
    const microseconds = expiresIn === undefined ? undefined : BigInt(Math.round(expiresIn * 1e6));
    const expiresAt = microseconds === undefined ? undefined : this.#store.now() + microseconds;
    const stored = { id, ownerId: owner, name, expiresAt, revoked: false };
    this.#store.accessKeys.set(keyHash(key).toString('hex'), stored);
    const details = { name };
    this.#store.note(this.#act, { act: 'key-issued', accessKeyId: id, ownerId: owner, details });
    return { id, key };
  }

  async revoke(id: AccessKeyId): Promise<boolean> {
    const stored = [...this.#store.accessKeys.values()].find((one) => one.id === id);
    if (!stored) return false;
    if (!stored.revoked) this.#store.note(this.#act, { act: 'key-revoked', accessKeyId: id });
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
