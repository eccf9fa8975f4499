import type { AccessKey, Caller, Identity } from '@campaign-mirror/domain';
import { LRUCache } from 'lru-cache';
import type { KeyLookUp } from './hot-path.ts';
import { keyHash } from './key-hash.ts';
import type { KeyUses } from './key-uses.ts';

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
  readonly #clock: { now(): number };

  /** `clock` counts milliseconds. */
  constructor(
    lookUp: KeyLookUp,
    {
      cacheSeconds = 0,
      uses,
      clock = performance,
    }: { cacheSeconds?: number; uses?: KeyUses; clock?: { now(): number } } = {},
  ) {
    this.#lookUp = lookUp;
    this.#uses = uses;
    this.#clock = clock;
    this.#cacheMs = cacheSeconds * 1000;
    // Without a resolution of 0 the clock is read once a millisecond and an entry could outlive its key by that.
    this.#callers =
      cacheSeconds > 0 ? new LRUCache({ max: remembered, ttlResolution: 0, perf: clock }) : undefined;
  }

  async whoIs(key: AccessKey): Promise<Caller | undefined> {
    const hash = keyHash(key);
    const known = this.#callers?.get(hash.toString('latin1'));
    if (known) return known;

    const asked = this.#clock.now();
    const found = await this.#lookUp.key(hash);
    if (!found) return undefined;
    const caller = { ownerId: found.ownerId, accessKeyId: found.id };
    if (found.useToNote) this.#uses?.note(caller.accessKeyId);
    this.#remember(hash, caller, found.expiresIn, asked);
    return caller;
  }

  #remember(hash: Buffer, caller: Caller, expiresIn: number, asked: number): void {
    if (!this.#callers) return;
    // Counted from before the question, so that the way of the answer does not lengthen the key's life.
    const left = Math.min(this.#cacheMs, expiresIn);
    const ttl = Math.floor(left - (this.#clock.now() - asked));
    if (ttl > 0) this.#callers.set(hash.toString('latin1'), caller, { ttl });
  }
}
