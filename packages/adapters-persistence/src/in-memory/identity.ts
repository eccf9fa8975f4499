import { type Caller, type Identified, type Identity, keySubject } from '@campaign-mirror/domain';
import { keyHash } from '../schema/schema.ts';
import type { InMemoryStore } from './store.ts';

/** Callers by their access keys, in memory: for tests, and for reuse without persistence. */
export class InMemoryIdentity implements Identity {
  readonly #store: InMemoryStore;
  /** The last result by the hash of the key. It outlives the key, as a claim may. */
  readonly #claims = new Map<string, Caller>();

  constructor(store: InMemoryStore) {
    this.#store = store;
  }

  async claimedBy(key: string): Promise<Caller | undefined> {
    return this.#claims.get(keyHash(key).toString('hex'));
  }

  async whoIs(key: string): Promise<Identified> {
    const hash = keyHash(key).toString('hex');
    const stored = this.#store.accessKeys.get(hash);
    this.#claims.delete(hash);
    if (!stored) return undefined;
    const subject = keySubject(stored.id);
    if (!this.#store.isValid(stored)) {
      return { refused: stored.revokedAt === null ? 'expired-key' : 'revoked-key', subject };
    }
    const caller = { ownerId: stored.ownerId, subject };
    this.#claims.set(hash, caller);
    return caller;
  }
}
