import { accessKeyOf, type Caller, type Identified, type Identity, isCaller } from '@campaign-mirror/domain';
import { LRUCache } from 'lru-cache';
import { keyHash } from '../schema/key-hash.ts';
import type { HotPath } from './hot-path.ts';
import type { KeyUses } from './key-uses.ts';

/** The maximum number of claims kept: about 200 bytes each. */
const maxClaims = 100_000;

/**
 * Access keys in PostgreSQL. A key that was found once is kept as a claim, which each write proves, until a look-up
 * finds the key invalid. `uses` records the keys that are found; by default they are not recorded.
 */
export class PostgresIdentity implements Identity {
  readonly #lookUp: Pick<HotPath, 'key'>;
  readonly #uses: KeyUses | undefined;
  /** By the hash of the key, since keys are not kept. */
  readonly #claims = new LRUCache<string, Caller>({ max: maxClaims });

  constructor(lookUp: Pick<HotPath, 'key'>, { uses }: { uses?: KeyUses } = {}) {
    this.#lookUp = lookUp;
    this.#uses = uses;
  }

  async claimedBy(key: string): Promise<Caller | undefined> {
    return this.#claims.get(keyHash(key).toString('latin1'));
  }

  async whoIs(key: string): Promise<Identified> {
    const hash = keyHash(key);
    const caller = await this.#lookUp.key(hash);
    if (!isCaller(caller)) {
      this.#claims.delete(hash.toString('latin1'));
      return caller;
    }
    const id = accessKeyOf(caller.subject);
    if (id) this.#uses?.note(id);
    this.#claims.set(hash.toString('latin1'), caller);
    return caller;
  }
}
