import { Unavailable } from '@campaign-mirror/domain';
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { boundedFetch } from './bounded-fetch.ts';

/** How long after a fetch the next one may begin, in milliseconds. */
const cooldown = 5_000;

/** How many tokens with unknown keys wait for a fetch: whatever is sent cannot fill the service while the issuer is slow. */
const maxWaiting = 64;

/** Key ids that the issuer did not know: how many are remembered, and for how long in milliseconds. */
const unknownIds = { max: 500, ttl: 60_000 };

/** Notified of each fetch. The errors contain no token. */
export interface IssuerObserver {
  /** `keys`: how many the set has. */
  fetched(keys: number): void;
  /** A fetch failed. The error contains no token. */
  failed(error: unknown): void;
}

/** Where the keys of an issuer are, and how long they are used. */
export interface IssuerKeyOptions {
  /** Of the key set (RFC 7517, section 5): `https`, or `http` on this machine, which the caller has to check. */
  readonly url: URL;
  /** How old the keys may be, in milliseconds. A key that the issuer removed is refused after that. */
  readonly maxAge: number;
  /** How long after that they are still used if they cannot be fetched, in milliseconds. */
  readonly staleIfError: number;
  /** How long a fetch may take, in milliseconds; 3 s by default. */
  readonly timeout?: number;
  readonly observer?: IssuerObserver;
  /** Milliseconds that only increase. */
  readonly now?: () => number;
}

/**
 * The public keys of an issuer, in memory. They are fetched one fetch at a time, at most every 5 s, whatever tokens
 * arrive. A caller waits for a fetch only if the last one did not fail.
 */
export class IssuerKeys {
  readonly #options: IssuerKeyOptions;
  readonly #now: () => number;
  /** It would fetch by itself, but not in these durations, because it has no cooldown after failures. */
  readonly #set;
  readonly #unknownIds = new LRUCache<string, true>(unknownIds);
  readonly #cooldown: number;
  #fetching: Promise<void> | undefined;
  /** Tokens with unknown keys that wait for it. */
  #waiting = 0;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  /** Why the last fetch failed; undefined if it did not. */
  #fault: unknown;

  constructor(options: IssuerKeyOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#cooldown = Math.min(cooldown, options.maxAge);
    this.#set = createRemoteJWKSet(options.url, {
      cacheMaxAge: Number.POSITIVE_INFINITY,
      cooldownDuration: Number.POSITIVE_INFINITY,
      timeoutDuration: options.timeout ?? 3_000,
      [customFetch]: boundedFetch,
    });
  }

  /** The age of the keys in milliseconds; infinite before the first fetch. */
  get age(): number {
    return this.#now() - this.#fetchedAt;
  }

  /** Whether `known` can be asked; begins a fetch if one is due. */
  get areKnown(): boolean {
    if (this.age < this.#options.maxAge) return true;
    void this.fetch();
    return this.#fault !== undefined && !this.#areTooOld;
  }

  /** The key for a token among those in memory. @throws JWKSNoMatchingKey if there is none */
  readonly known: JWTVerifyGetKey = (header, token) => this.#set(header, token);

  /**
   * The same, with a fetch if the keys are too old or none of them fits.
   * @throws Unavailable if they cannot be fetched
   */
  readonly present: JWTVerifyGetKey = async (header, token) => {
    if (this.age >= this.#options.maxAge) await this.fetch();
    if (this.#areTooOld) throw this.#unavailable();
    try {
      return await this.#set(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The header is as the sender wrote it: `kid` may be anything.
      if (header.kid !== undefined && typeof header.kid !== 'string') throw error;
      const name = `${header.alg} ${header.kid}`;
      if (this.#unknownIds.has(name)) throw error;
      // One that began earlier may have read the keys before this one was published.
      const began = this.#fetching === undefined;
      const fetching = this.fetch();
      if (fetching) {
        if (this.#waiting >= maxWaiting) throw error;
        this.#waiting += 1;
        await fetching;
        this.#waiting -= 1;
      }
      if (this.#fault !== undefined) throw this.#unavailable();
      if (!fetching) throw error;
      if (began) this.#unknownIds.set(name, true);
      return this.#set(header, token);
    }
  };

  /** Begins a fetch unless there was one a moment ago. What to wait for, if anything; it never rejects. */
  fetch(): Promise<void> | undefined {
    if (!this.#fetching && this.#now() - this.#triedAt >= this.#cooldown) this.#fetching = this.#fetch();
    return this.#fault === undefined ? this.#fetching : undefined;
  }

  async #fetch(): Promise<void> {
    try {
      await this.#set.reload();
      this.#fetchedAt = this.#now();
      this.#fault = undefined;
      this.#options.observer?.fetched(this.#set.jwks()?.keys.length ?? 0);
    } catch (error) {
      this.#fault = error;
      this.#options.observer?.failed(error);
    } finally {
      this.#triedAt = this.#now();
      this.#fetching = undefined;
    }
  }

  get #areTooOld(): boolean {
    const { maxAge, staleIfError } = this.#options;
    return this.age >= maxAge + staleIfError;
  }

  #unavailable(): Unavailable {
    return new Unavailable('the keys of the issuer of tokens cannot be fetched', { cause: this.#fault });
  }
}
