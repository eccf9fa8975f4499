import type * as domain from '@campaign-mirror/domain';
import { usualKeyLife } from '@campaign-mirror/domain';
import { newKey } from '../schema/schema.ts';

type Stored<T> = { -readonly [Field in keyof T]: T[Field] };

/** An access key as it is kept. */
export interface StoredAccessKey {
  readonly id: domain.AccessKeyId;
  ownerId: domain.OwnerId;
  /** Null: never. */
  expiresAt: domain.Timestamp | null;
  revokedAt: domain.Timestamp | null;
}

/**
 * State of the in-memory adapters. One process, nothing persisted; as atomic as PostgreSQL, because a step that judges
 * and writes is not interrupted.
 */
export class InMemoryStore {
  readonly campaigns = new Map<domain.CampaignId, Stored<Omit<domain.Campaign, 'hasMirror'>>>();
  readonly mirrors = new Map<domain.CampaignId, Stored<domain.Mirror>>();
  /** By the SHA-256 of the key, in hexadecimal. */
  readonly accessKeys = new Map<string, StoredAccessKey>();
  readonly history: domain.HistoryEntry[] = [];
  readonly now: () => bigint;
  #lastId = 0;

  /** `now` gives microseconds since 1970. */
  constructor(now = () => BigInt(Date.now()) * 1000n) {
    this.now = now;
  }

  /** A campaign without a mirror. */
  createCampaign(ownerId: domain.OwnerId, isDefault = false): domain.CampaignId {
    const id = this.nextId<domain.CampaignId>();
    this.campaigns.set(id, { id, ownerId, isDefault });
    return id;
  }

  /** A mirror without clicks, in the place of the campaign's mirror if it has one. */
  createMirror(campaignId: domain.CampaignId, targetUrl: domain.MirrorAddress): domain.Mirror {
    const createdAt = timestampOf(this.now());
    const untouched = { clicks: 0, updatedExternally: false, updatedExternallyAt: null };
    const times = { createdAt, updatedAt: createdAt };
    const mirror: domain.Mirror = { id: this.nextId(), campaignId, targetUrl, ...untouched, ...times };
    this.mirrors.set(campaignId, { ...mirror });
    return mirror;
  }

  /** `expiresIn` in seconds: a year by default. */
  issueKey(
    ownerId: domain.OwnerId,
    expiresIn: number | 'never' = usualKeyLife,
  ): { id: domain.AccessKeyId; key: domain.AccessKey } {
    const { key, hash } = newKey();
    const id = this.nextId<domain.AccessKeyId>();
    const end = expiresIn === 'never' ? null : timestampOf(this.now() + BigInt(expiresIn) * 1_000_000n);
    this.accessKeys.set(hash.toString('hex'), { id, ownerId, expiresAt: end, revokedAt: null });
    return { id, key };
  }

  /** A key by its identifier. */
  accessKey(id: domain.AccessKeyId): StoredAccessKey | undefined {
    return [...this.accessKeys.values()].find((one) => one.id === id);
  }

  /** Whether the key may be used now. */
  isValid({ revokedAt, expiresAt }: StoredAccessKey): boolean {
    return revokedAt === null && (expiresAt === null || expiresAt > timestampOf(this.now()));
  }

  /** A number that was not given before. */
  nextId<Id extends number>(): Id {
    this.#lastId += 1;
    return this.#lastId as Id;
  }
}

/** `2026-11-20T15:36:00.123456Z` for microseconds since 1970. */
export function timestampOf(microseconds: bigint): domain.Timestamp {
  const milliseconds = new Date(Number(microseconds / 1000n)).toISOString().slice(0, -1);
  return `${milliseconds}${String(microseconds % 1000n).padStart(3, '0')}Z` as domain.Timestamp;
}
