import type { AccessKey, AccessKeyId, Caller, Identity, OwnerId } from '@campaign-mirror/domain';
import { LRUCache } from 'lru-cache';
import type { KeyLookUp } from './hot-path.ts';
import { keyHash } from './key-hash.ts';
import type { KeyUses } from './key-uses.ts';
import { safeInteger } from './mirror-row.ts';

/** Valid keys that are remembered at once, at most. */
const remembered = 10_000;

/**
 * Access keys in PostgreSQL. With `cacheSeconds` a valid key is remembered for so long, and never past its expiry:
 * a revocation then takes as long to be heard of. `uses` is told of keys that are used once in a minute; by default
 * nobody is.
 */
export class PostgresIdentity implements Identity {
  readonly #lookUp: KeyLookUp;
  readonly #callers: LRUCache<string, Caller> | undefined;
  readonly #cacheMs: number;
  readonly #uses: KeyUses | undefined;

  constructor(lookUp: KeyLookUp, { cacheSeconds = 0, uses }: { cacheSeconds?: number; uses?: KeyUses } = {}) {
    this.#lookUp = lookUp;
    this.#uses = uses;
    this.#cacheMs = cacheSeconds * 1000;
    // Without a resolution of 0 the clock is read once a millisecond and an entry could outlive its key by that.
    this.#callers = cacheSeconds > 0 ? new LRUCache({ max: remembered, ttlResolution: 0 }) : undefined;
  }

  async whoIs(key: AccessKey): Promise<Caller | undefined> {
    const hash = keyHash(key);
    const known = this.#callers?.get(hash.toString('latin1'));
    if (known) return known;

    const asked = performance.now();
    const row = await this.#lookUp.key(hash);
    if (!row) return undefined;
    const caller = {
      ownerId: safeInteger(row.owner_id) as OwnerId,
      accessKeyId: safeInteger(row.id) as AccessKeyId,
    };
    if (row.use_to_note) this.#uses?.note(caller.accessKeyId);
    this.#remember(hash, caller, row.expires_in, asked);
    return caller;
  }

  #remember(hash: Buffer, caller: Caller, expiresIn: string | null, asked: number): void {
    if (!this.#callers) return;
    // Counted from before the question, so that the way of the answer does not lengthen the key's life.
    const left = Math.min(this.#cacheMs, expiresIn === null ? Number.POSITIVE_INFINITY : Number(expiresIn));
    const ttl = Math.floor(left - (performance.now() - asked));
    if (ttl > 0) this.#callers.set(hash.toString('latin1'), caller, { ttl });
  }
}
