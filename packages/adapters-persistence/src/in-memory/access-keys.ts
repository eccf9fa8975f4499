import { randomBytes } from 'node:crypto';
import {
  type AccessKey,
  type AccessKeyId,
  type AccessKeyPage,
  type AccessKeyRecord,
  type AccessKeys,
  accessKeyBytes,
  accessKeyFrom,
  type Caller,
  displayedPart,
  type Identity,
  type KeyRotation,
  keySubject,
  type NewAccessKey,
  type Timestamp,
  usualKeyLife,
} from '@campaign-mirror/domain';
import { keyHash } from '../schema/key-hash.ts';
import { isValid, StoreAdapter, type StoredAccessKey, timestamp } from './store.ts';

/** In microseconds: a key's use is noted once in it. */
const minute = 60_000_000n;

/** Access keys in memory: for tests, and for reuse without persistence. */
export class InMemoryAccessKeys extends StoreAdapter implements AccessKeys, Identity {
  /** The last result by the hash of the key. It outlives the key, as a claim may. */
  readonly #claims = new Map<string, Caller>();

  async issue(asked: NewAccessKey): Promise<{ id: AccessKeyId; key: AccessKey }> {
    const { owner, name, expiresIn = usualKeyLife } = asked;
    const life = expiresIn === 'never' ? undefined : microseconds(expiresIn);
    const issued = this.#add({ ownerId: owner, name }, life);
    this.note({ act: 'key-issued', accessKeyId: issued.id, ownerId: owner, details: { name } });
    return issued;
  }

  async list({ owner, after = 0 as AccessKeyId, limit }: AccessKeyPage): Promise<AccessKeyRecord[]> {
    return [...this.store.accessKeys.values()]
      .filter((one) => one.id > after && (owner === undefined || one.ownerId === owner))
      .sort((one, other) => one.id - other.id)
      .slice(0, limit)
      .map(recordOf);
  }

  async rotate(id: AccessKeyId, { grace }: { grace: number }): Promise<KeyRotation> {
    const now = this.store.now();
    const old = this.store.accessKey(id);
    if (!old) return { kind: 'key-not-found' };
    if (old.revokedAt !== undefined) return { kind: 'key-revoked' };
    if (old.replacedBy !== undefined) return { kind: 'key-replaced', by: old.replacedBy };
    if (old.expiresAt !== undefined && old.expiresAt <= now) return { kind: 'key-expired' };

    const { ownerId, expiresAt } = old;
    const next = this.#add(old, expiresAt === undefined ? undefined : expiresAt - old.createdAt);
    const end = now + microseconds(grace);
    old.expiresAt = expiresAt !== undefined && expiresAt < end ? expiresAt : end;
    old.replacedBy = next.id;
    const details = { replaced_by: next.id, grace };
    this.note({ act: 'key-rotated', accessKeyId: id, ownerId, details });
    return { kind: 'rotated', ...next, ownerId, oldExpiresAt: timestamp(old.expiresAt) };
  }

  async revoke(id: AccessKeyId): Promise<boolean> {
    const stored = this.store.accessKey(id);
    if (!stored) return false;
    if (stored.revokedAt !== undefined) return true;
    stored.revokedAt = this.store.now();
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
    if (!stored || !isValid(stored, this.store.now())) return undefined;
    this.#noteUse(stored);
    const caller = { ownerId: stored.ownerId, subject: keySubject(stored.id) };
    this.#claims.set(hash, caller);
    return caller;
  }

  #noteUse(stored: StoredAccessKey | undefined): void {
    const now = this.store.now();
    if (!stored || !isValid(stored, now)) return;
    if (stored.lastUsedAt === undefined || stored.lastUsedAt < now - minute) stored.lastUsedAt = now;
  }

  /** `life` in microseconds; undefined means no expiry. */
  #add(
    { ownerId, name }: Pick<StoredAccessKey, 'ownerId' | 'name'>,
    life: bigint | undefined,
  ): { id: AccessKeyId; key: AccessKey } {
    const key = accessKeyFrom(randomBytes(accessKeyBytes));
    const id = this.store.nextId<AccessKeyId>();
    const createdAt = this.store.now();
    this.store.accessKeys.set(keyHash(key).toString('hex'), {
      id,
      displayed: displayedPart(key),
      ownerId,
      name,
      createdAt,
      expiresAt: life === undefined ? undefined : createdAt + life,
      lastUsedAt: undefined,
      revokedAt: undefined,
      replacedBy: undefined,
    });
    return { id, key };
  }
}

function recordOf({ id, displayed, ownerId, name, replacedBy, ...times }: StoredAccessKey): AccessKeyRecord {
  return {
    id,
    displayed,
    name,
    ownerId,
    createdAt: timestamp(times.createdAt),
    expiresAt: orNull(times.expiresAt),
    lastUsedAt: orNull(times.lastUsedAt),
    revokedAt: orNull(times.revokedAt),
    replacedBy: replacedBy ?? null,
  };
}

function orNull(time: bigint | undefined): Timestamp | null {
  return time === undefined ? null : timestamp(time);
}

function microseconds(seconds: number): bigint {
  return BigInt(Math.round(seconds * 1e6));
}
