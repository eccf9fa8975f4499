import type { AccessKey, AccessKeyId, CampaignId, OwnerId } from '@campaign-mirror/domain';
import type { Store } from './store.ts';

export interface KnownCampaign {
  readonly id: CampaignId;
  readonly owner: OwnerId;
  readonly isDefault: boolean;
  readonly hasMirror: boolean;
}

interface KnownKey {
  readonly id: AccessKeyId;
  readonly key: AccessKey;
  readonly owner: OwnerId;
}

export const owners = [1, 2, 3] as OwnerId[];
export const hosts = ['one.example', 'two.example', 'three.example'] as const;

/** What those who take part know at the moment, so that most of what they do can be done. */
export class Known {
  campaigns: readonly KnownCampaign[] = [];
  /** All that were ever issued. */
  readonly issued: KnownKey[] = [];
  /** Those that may be used. */
  keys: readonly KnownKey[] = [];
  /** Those that may no more. */
  #ended: readonly KnownKey[] = [];
  #addresses = 0;

  /** Where the database is away, what was known stays. */
  async refresh({ admin }: Store): Promise<void> {
    const campaigns = `select id::float8, owner_id::float8 as owner, is_default as "isDefault",
      exists (select from campaign_mirror.mirrors where campaign_id = campaigns.id) as "hasMirror"
      from campaign_mirror.campaigns order by id`;
    const keys = `select id::float8 from campaign_mirror.access_keys
      where revoked_at is null and expires_at > clock_timestamp()`;
    try {
      this.campaigns = (await admin.query(campaigns)).rows;
      const valid = new Set((await admin.query(keys)).rows.map(({ id }) => id));
      this.keys = this.issued.filter(({ id }) => valid.has(id));
      this.#ended = this.issued.filter(({ id }) => !valid.has(id));
    } catch {}
  }

  /** A new one each time, on one of a few hosts. */
  address(random: Random): string {
    this.#addresses += 1;
    return `https://${random.one(hosts)}/${this.#addresses}?c={click_id}`;
  }

  /** A campaign and a key to set its mirror with: as a rule those that go together. Undefined where there is none. */
  toCall(random: Random): { campaign: number; key: KnownKey } | undefined {
    const settable = this.campaigns.filter((one) => one.hasMirror && !one.isDefault);
    const usual = (random.number() < 0.9 && random.one(settable)) || random.one(this.campaigns);
    const ofOwner = (keys: readonly KnownKey[]) =>
      random.one(keys.filter(({ owner }) => owner === usual?.owner));
    const which = random.number();
    const key =
      (which > 0.96 && ofOwner(this.#ended)) || (which > 0.88 && random.one(this.keys)) || ofOwner(this.keys);
    // Whoever counts on from 1 meets those that were deleted, too.
    const campaign = usual && which < 0.03 ? 1 + random.below(usual.id) : usual?.id;
    return campaign && key ? { campaign, key } : undefined;
  }
}

/** Choices that are the same ones again for a seed. */
export class Random {
  readonly number: () => number;

  constructor(number: () => number) {
    this.number = number;
  }

  one<T>(all: readonly T[]): T | undefined {
    return all[this.below(all.length)];
  }

  below(limit: number): number {
    return Math.floor(this.number() * limit);
  }
}
