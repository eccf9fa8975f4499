import {
  type AccessKey,
  type AccessKeyId,
  type Campaign,
  type CampaignId,
  type HistoryEntry,
  type Mirror,
  type MirrorAddress,
  type OwnerId,
  type Timestamp,
  usualKeyLife,
} from '@campaign-mirror/domain';
import { newKey } from '../schema/schema.ts';

type Stored<T> = { -readonly [Field in keyof T]: T[Field] };

/** An access key as it is kept: without the key. */
export interface StoredAccessKey {
  readonly id: AccessKeyId;
  ownerId: OwnerId;
  /** Null: never. */
  expiresAt: Timestamp | null;
  revokedAt: Timestamp | null;
}

/**
 * State of the in-memory adapters. One process, nothing persisted; as atomic as PostgreSQL, because a step that judges
 * and writes is not interrupted.
 */
export class InMemoryStore {
  readonly campaigns = new Map<CampaignId, Stored<Omit<Campaign, 'hasMirror'>>>();
  readonly mirrors = new Map<CampaignId, Stored<Mirror>>();
  /** By the SHA-256 of the key, in hexadecimal. */
  readonly accessKeys = new Map<string, StoredAccessKey>();
  readonly history: HistoryEntry[] = [];
  readonly now: () => bigint;
  #lastId = 0;

  /** `now` gives microseconds since 1970. */
  constructor(now = () => BigInt(Date.now()) * 1000n) {
    this.now = now;
  }

  /** A campaign without a mirror. */
  createCampaign(ownerId: OwnerId, isDefault = false): CampaignId {
    const id = this.nextId<CampaignId>();
    this.campaigns.set(id, { id, ownerId, isDefault });
    return id;
  }

  /** A mirror without clicks, in the place of the campaign's mirror if it has one. */
  createMirror(campaignId: CampaignId, targetUrl: MirrorAddress): Mirror {
    const createdAt = timestampOf(this.now());
    const untouched = { clicks: 0, updatedExternally: false, updatedExternallyAt: null };
    const times = { createdAt, updatedAt: createdAt };
    const mirror: Mirror = { id: this.nextId(), campaignId, targetUrl, ...untouched, ...times };
    this.mirrors.set(campaignId, { ...mirror });
    return mirror;
  }

  /** `expiresIn` in seconds: a year by default. */
  issueKey(
    ownerId: OwnerId,
    expiresIn: number | 'never' = usualKeyLife,
  ): { id: AccessKeyId; key: AccessKey } {
    const { key, hash } = newKey();
    const id = this.nextId<AccessKeyId>();
    const end = expiresIn === 'never' ? null : timestampOf(this.now() + BigInt(expiresIn) * 1_000_000n);
    this.accessKeys.set(hash.toString('hex'), { id, ownerId, expiresAt: end, revokedAt: null });
    return { id, key };
  }

  /** A key by its identifier. */
  accessKey(id: AccessKeyId): StoredAccessKey | undefined {
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
export function timestampOf(microseconds: bigint): Timestamp {
  const milliseconds = new Date(Number(microseconds / 1000n)).toISOString().slice(0, -1);
  return `${milliseconds}${String(microseconds % 1000n).padStart(3, '0')}Z` as Timestamp;
}
