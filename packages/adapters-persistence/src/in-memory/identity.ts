import { type Caller, type Identity, keySubject } from '@campaign-mirror/domain';
import { keyHash } from '../schema/key-hash.ts';
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

  async whoIs(key: string): Promise<Caller | undefined> {
    const hash = keyHash(key).toString('hex');
    const stored = this.#store.accessKeys.get(hash);
    this.#claims.delete(hash);
    if (!stored || !this.#store.isValid(stored)) return undefined;
    const caller = { ownerId: stored.ownerId, subject: keySubject(stored.id) };
    this.#claims.set(hash, caller);
    return caller;
  }
}
