import {
  type AccessKey,
  type AccessKeyId,
  type AccessKeyPage,
  type AccessKeyRecord,
  type AccessKeys,
  type Caller,
  type Identity,
  type KeyRotation,
  keySubject,
  type NewAccessKey,
  usualKeyLife,
} from '@campaign-mirror/domain';
import { keyHash, newKey } from '../schema/key-hash.ts';
import { isValid, microseconds, StoreAdapter, type StoredAccessKey, timestamp } from './store.ts';

/** In seconds: a key's use is noted once in it. */
const minute = 60;

/** Access keys in memory: for tests, and for reuse without persistence. */
export class InMemoryAccessKeys extends StoreAdapter implements AccessKeys, Identity {
  /** The last result by the hash of the key. It outlives the key, as a claim may. */
  readonly #claims = new Map<string, Caller>();

  async issue(asked: NewAccessKey): Promise<{ id: AccessKeyId; key: AccessKey }> {
    const { owner, name, expiresIn = usualKeyLife } = asked;
    const life = expiresIn === 'never' ? undefined : inMicroseconds(expiresIn);
    const issued = this.#add({ ownerId: owner, name }, life);
    this.note({ act: 'key-issued', accessKeyId: issued.id, ownerId: owner, details: { name } });
    return issued;
  }

  async list({ owner, after = 0 as AccessKeyId, limit }: AccessKeyPage): Promise<AccessKeyRecord[]> {
    return [...this.store.accessKeys.values()]
      .filter((one) => one.id > after && (owner === undefined || one.ownerId === owner))
      .sort((one, other) => one.id - other.id)
      .slice(0, limit)
      .map((one) => ({ ...one }));
  }

  async rotate(id: AccessKeyId, { grace }: { grace: number }): Promise<KeyRotation> {
    const now = this.store.now();
    const old = this.store.accessKey(id);
    if (!old) return { kind: 'key-not-found' };
    if (old.revokedAt !== null) return { kind: 'key-revoked' };
    if (old.replacedBy !== null) return { kind: 'key-replaced', by: old.replacedBy };
    if (!isValid(old, timestamp(now))) return { kind: 'key-expired' };

    const { ownerId, expiresAt, createdAt } = old;
    const life = expiresAt === null ? undefined : microseconds(expiresAt) - microseconds(createdAt);
    const next = this.#add(old, life);
    const end = timestamp(now + inMicroseconds(grace));
    old.expiresAt = expiresAt !== null && expiresAt < end ? expiresAt : end;
    old.replacedBy = next.id;
    const details = { replaced_by: next.id, grace };
    this.note({ act: 'key-rotated', accessKeyId: id, ownerId, details });
    return { kind: 'rotated', ...next, ownerId, oldExpiresAt: old.expiresAt };
  }

  async revoke(id: AccessKeyId): Promise<boolean> {
    const stored = this.store.accessKey(id);
    if (!stored) return false;
    if (stored.revokedAt !== null) return true;
    stored.revokedAt = timestamp(this.store.now());
    this.note({ act: 'key-revoked', accessKeyId: id, ownerId: stored.ownerId });
    return true;
  }

  async claimedBy(key: string): Promise<Caller | undefined> {
    const hash = keyHash(key).toString('hex');
    this.#noteUse(this.store.accessKeys.get(hash));
    return this.#claims.get(hash);
  }

  async whoIs(key: string): Promise<Caller | undefined> {
    const hash = keyHash(key).toString('hex');
    const stored = this.store.accessKeys.get(hash);
    this.#claims.delete(hash);
    if (!stored || !isValid(stored, timestamp(this.store.now()))) return undefined;
    this.#noteUse(stored);
    const caller = { ownerId: stored.ownerId, subject: keySubject(stored.id) };
    this.#claims.set(hash, caller);
    return caller;
  }

  #noteUse(stored: StoredAccessKey | undefined): void {
    const now = this.store.now();
    if (!stored || !isValid(stored, timestamp(now))) return;
    const { lastUsedAt } = stored;
    const isLongAgo = lastUsedAt === null || lastUsedAt < timestamp(now - inMicroseconds(minute));
    if (isLongAgo) stored.lastUsedAt = timestamp(now);
  }

  /** `life` in microseconds; undefined means no expiry. */
  #add(
    { ownerId, name }: Pick<StoredAccessKey, 'ownerId' | 'name'>,
    life: bigint | undefined,
  ): { id: AccessKeyId; key: AccessKey } {
    const { key, hash, displayed } = newKey();
    const id = this.store.nextId<AccessKeyId>();
    const now = this.store.now();
    this.store.accessKeys.set(hash.toString('hex'), {
      id,
      displayed,
      name,
      ownerId,
      createdAt: timestamp(now),
      expiresAt: life === undefined ? null : timestamp(now + life),
      lastUsedAt: null,
      revokedAt: null,
      replacedBy: null,
    });
    return { id, key };
  }
}

function inMicroseconds(seconds: number): bigint {
  return BigInt(Math.round(seconds * 1e6));
}
