import type { AccessKey, AccessKeyId, CampaignId, OwnerId } from '@campaign-mirror/domain';

export interface KnownCampaign {
  readonly id: CampaignId;
  owner: OwnerId;
  isDefault: boolean;
  hasMirror: boolean;
}

interface KnownKey {
  readonly id: AccessKeyId;
  readonly key: AccessKey;
  readonly owner: OwnerId;
}

export const owners = [1, 2, 3] as OwnerId[];
export const hosts = ['one.example', 'two.example', 'three.example'] as const;

/** What callers and operators know at the moment. With it, most of their acts succeed. */
export class Known {
  readonly campaigns = new Map<CampaignId, KnownCampaign>();
  readonly keys = new Map<AccessKeyId, KnownKey>();
  #revoked: KnownKey[] = [];
  #addresses = 0;

  address(random: Random): string {
    this.#addresses += 1;
    return `https://${random.one(hosts)}/${this.#addresses}?c={click_id}`;
  }

  campaign(random: Random): KnownCampaign | undefined {
    return random.one([...this.campaigns.values()]);
  }

  keysOf(owner: OwnerId): KnownKey[] {
    return [...this.keys.values()].filter((key) => key.owner === owner);
  }

  removeKey(id: AccessKeyId): void {
    const key = this.keys.get(id);
    if (key) this.#revoked = [key, ...this.#revoked].slice(0, 6);
    this.keys.delete(id);
  }

  /** A campaign and a key to set its mirror with: usually its owner's. Undefined if there is none. */
  toCall(random: Random): { campaign: CampaignId; key: KnownKey } | undefined {
    const settable = [...this.campaigns.values()].filter((one) => one.hasMirror && !one.isDefault);
    const usual = (random.number() < 0.9 && random.one(settable)) || this.campaign(random);
    const all = [...this.keys.values()];
    const own = random.one(usual ? this.keysOf(usual.owner) : []) ?? random.one(all);
    const which = random.number();
    const revoked = this.#revoked.filter(({ owner }) => owner === usual?.owner);
    const key = (which > 0.94 && random.one(revoked)) || (which > 0.85 && random.one(all)) || own;
    return usual && key ? { campaign: usual.id, key } : undefined;
  }
}

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to below 1 (mulberry32). */
  number(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  one<T>(all: readonly T[]): T | undefined {
    return all[this.below(all.length)];
  }

  below(limit: number): number {
    return Math.floor(this.number() * limit);
  }
}
