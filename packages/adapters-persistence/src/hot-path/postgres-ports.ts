import {
  accessKeyOf,
  type Caller,
  type Campaign,
  type CampaignId,
  type CampaignRepository,
  type Identified,
  type Identity,
  isCaller,
  type MirrorChange,
  type SetMirrorResult,
} from '@campaign-mirror/domain';
import { LRUCache } from 'lru-cache';
import { keyHash } from '../schema/key-hash.ts';
import { type HotPathObserver, silentHotPathObserver } from '../statements/statements.ts';
import type { KeyUses } from './key-uses.ts';

/** How the ports of the hot path reach PostgreSQL. Any call may reject with `Unavailable`. */
export interface HotPath {
  /** The caller that a key belongs to, or that it has expired or was revoked; undefined for a key that is unknown. */
  key(hash: Buffer): Promise<Identified>;
  campaign(id: CampaignId): Promise<Campaign | undefined>;
  /** As `CampaignRepository#setMirror`; undefined where the campaign changed while its row was waited for. */
  set(seen: Campaign, change: MirrorChange): Promise<SetMirrorResult | undefined>;
}

/**
 * Campaigns and mirrors in PostgreSQL. `uses` records the keys that a write has proven; by default they are not
 * recorded.
 */
export class PostgresCampaigns implements CampaignRepository {
  readonly #hotPath: Pick<HotPath, 'campaign' | 'set'>;
  readonly #observer: HotPathObserver;
  readonly #uses: KeyUses | undefined;

  constructor(
    hotPath: Pick<HotPath, 'campaign' | 'set'>,
    { observer = silentHotPathObserver, uses }: { observer?: HotPathObserver; uses?: KeyUses } = {},
  ) {
    this.#hotPath = hotPath;
    this.#observer = observer;
    this.#uses = uses;
  }

  find(id: CampaignId): Promise<Campaign | undefined> {
    return this.#hotPath.campaign(id);
  }

  async setMirror(seen: Campaign, change: MirrorChange): Promise<SetMirrorResult> {
    if (seen.hasMirror) {
      const result = await this.#hotPath.set(seen, change);
      const key = accessKeyOf(change.by.subject);
      if (key && result && result.kind !== 'caller-invalid') this.#uses?.note(key);
      if (result) return result;
      this.#observer.judgedAgain();
    }
    return { kind: 'campaign-differs', campaign: await this.find(seen.id) };
  }
}

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
