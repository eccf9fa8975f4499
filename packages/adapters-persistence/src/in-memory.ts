import type * as domain from '@campaign-mirror/domain';
import {
  accessKeyOf,
  hostList,
  keySubject,
  mirrorAddress,
  noDeniedHosts,
  ownerId,
  usualKeyLife,
} from '@campaign-mirror/domain';
import { keyHash, newKey } from './schema/keys.ts';
import { timestampOf } from './schema/times.ts';

type Stored<T> = { -readonly [Field in keyof T]: T[Field] };

/** An access key as the store keeps it. */
export interface StoredAccessKey {
  readonly id: domain.AccessKeyId;
  ownerId: domain.OwnerId;
  /** Undefined: any. */
  readonly hosts: domain.HostList | undefined;
  /** Null: never. */
  expiresAt: domain.Timestamp | null;
  revokedAt: domain.Timestamp | null;
}

/**
 * State of the in-memory adapters. One process, nothing persisted; as atomic as PostgreSQL, because a step that judges
 * and writes is not interrupted. Its methods throw a TypeError for what PostgreSQL refuses.
 */
export class InMemoryStore {
  readonly campaigns = new Map<number, Stored<Omit<domain.Campaign, 'hasMirror'>>>();
  readonly mirrors = new Map<number, Stored<domain.Mirror>>();
  /** By the SHA-256 of the key, in hexadecimal. */
  readonly accessKeys = new Map<string, StoredAccessKey>();
  readonly history: domain.HistoryEntry[] = [];
  readonly lastChanges = new Map<number, domain.HistoryId>();
  readonly now: () => bigint;
  #lastId = 0;

  /** `now` gives microseconds since 1970. */
  constructor(now = () => BigInt(Date.now()) * 1000n) {
    this.now = now;
  }

  /** A campaign without a mirror. An owner has at most one default campaign. */
  createCampaign(owner: number, isDefault = false): domain.CampaignId {
    const of = ownerOf(owner);
    if (isDefault && [...this.campaigns.values()].some((one) => one.ownerId === of && one.isDefault))
      throw new TypeError(`owner ${owner} has a default campaign`);
    const id = this.nextId<domain.CampaignId>();
    this.campaigns.set(id, { id, ownerId: of, isDefault });
    return id;
  }

  /** A mirror without clicks, of a campaign that has none. */
  createMirror(campaign: number, address: string): domain.Mirror {
    const campaignId = this.campaigns.get(campaign)?.id;
    const targetUrl = mirrorAddress(address, noDeniedHosts);
    if (!campaignId) throw new TypeError(`there is no campaign ${campaign}`);
    if (this.mirrors.has(campaignId)) throw new TypeError(`campaign ${campaign} has a mirror`);
    if (typeof targetUrl !== 'string') throw new TypeError(`not an address of a mirror: ${targetUrl.fault}`);
    const createdAt = timestampOf(this.now());
    const untouched = { clicks: 0, updatedExternally: false, updatedExternallyAt: null };
    const id = this.nextId<domain.MirrorId>();
    const mirror = { id, campaignId, targetUrl, ...untouched, createdAt, updatedAt: createdAt };
    this.mirrors.set(campaignId, { ...mirror });
    return mirror;
  }

  /** `expiresIn` in seconds: a year by default. `hosts`: such as `shop.example` or `*.shop.example`; any by default. */
  issueKey(
    owner: number,
    expiresIn: number | 'never' = usualKeyLife,
    hosts?: readonly string[],
  ): { id: domain.AccessKeyId; key: domain.AccessKey } {
    const { key, hash } = newKey();
    const id = this.nextId<domain.AccessKeyId>();
    const life = expiresIn === 'never' ? undefined : BigInt(Math.round(expiresIn * 1_000_000));
    const end = life === undefined ? null : timestampOf(this.now() + life);
    const listed = hosts && hostList(hosts);
    if (listed && ('notAHost' in listed || hosts.length === 0)) throw new TypeError(`not hosts: ${hosts}`);
    const stored = { id, ownerId: ownerOf(owner), hosts: listed, expiresAt: end, revokedAt: null };
    this.accessKeys.set(hash.toString('hex'), stored);
    return { id, key };
  }

  accessKey(id: domain.AccessKeyId): StoredAccessKey | undefined {
    return [...this.accessKeys.values()].find((one) => one.id === id);
  }

  /** Whether the key may be used now. */
  isValid({ revokedAt, expiresAt }: StoredAccessKey): boolean {
    return revokedAt === null && (expiresAt === null || expiresAt > timestampOf(this.now()));
  }

  nextId<Id extends number>(): Id {
    this.#lastId += 1;
    return this.#lastId as Id;
  }
}

function ownerOf(number: number): domain.OwnerId {
  const owner = ownerId(number);
  if (!owner) throw new TypeError(`not the number of an owner: ${number}`);
  return owner;
}

/** Campaigns and mirrors in memory: for tests, and for reuse without persistence. */
export class InMemoryCampaigns implements domain.CampaignRepository {
  readonly #store: InMemoryStore;

  constructor(store: InMemoryStore) {
    this.#store = store;
  }

  async find(id: domain.CampaignId): Promise<domain.Campaign | undefined> {
    return this.#find(id);
  }

  async setMirror(
    seen: domain.Campaign,
    { address, by, requestId, lastChange: expected }: domain.MirrorChange,
  ): Promise<domain.SetMirrorResult> {
    const { mirrors, history } = this.#store;
    const keyId = accessKeyOf(by.subject);
    const key = keyId && this.#store.accessKey(keyId);
    if (keyId && (key?.ownerId !== seen.ownerId || !this.#store.isValid(key)))
      return { kind: 'caller-invalid' };
    const campaign = this.#find(seen.id);
    const mirror = mirrors.get(seen.id);
    const isAsSeen = campaign?.ownerId === seen.ownerId && campaign.isDefault === seen.isDefault;
    if (!mirror || !seen.hasMirror || !isAsSeen) return { kind: 'campaign-differs', campaign };

    const lastChange = this.#store.lastChanges.get(seen.id) ?? 0;
    if (expected !== undefined && expected !== lastChange)
      return { kind: 'condition-failed', mirror: { ...mirror }, lastChange };

    const changedAt = this.#after(mirror.updatedAt);
    const id = this.#store.nextId<domain.HistoryId>();
    this.#store.lastChanges.set(seen.id, id);
    history.push({
      id,
      mirrorId: mirror.id,
      campaignId: seen.id,
      subject: by.subject,
      ownerId: seen.ownerId,
      addressBefore: mirror.targetUrl,
      addressAfter: address,
      changedAt,
      requestId,
    });
    const updated = { updatedExternally: true, updatedExternallyAt: changedAt, updatedAt: changedAt };
    Object.assign(mirror, { targetUrl: address, ...updated });
    return { kind: 'mirror-set', mirror: { ...mirror }, lastChange: id };
  }

  #find(id: domain.CampaignId): domain.Campaign | undefined {
    const stored = this.#store.campaigns.get(id);
    return stored && { ...stored, hasMirror: this.#store.mirrors.has(id) };
  }

  /** Now, or a microsecond after this time if the clock is behind it. */
  #after(time: domain.Timestamp): domain.Timestamp {
    const later = BigInt(Date.parse(`${time.slice(0, 23)}Z`)) * 1000n + BigInt(time.slice(23, 26)) + 1n;
    const now = this.#store.now();
    return timestampOf(now > later ? now : later);
  }
}

/** Callers by their access keys, in memory: for tests, and for reuse without persistence. */
export class InMemoryIdentity implements domain.Identity {
  readonly #store: InMemoryStore;
  /** By the hash of the key. A caller is remembered after the end of the key, until that is looked up. */
  readonly #callers = new Map<string, domain.Caller & { toProve: true }>();

  constructor(store: InMemoryStore) {
    this.#store = store;
  }

  remembered(key: string) {
    return this.#callers.get(keyHash(key).toString('hex'));
  }

  async whoIs(key: string): Promise<domain.Identified> {
    const hash = keyHash(key).toString('hex');
    const stored = this.#store.accessKeys.get(hash);
    this.#callers.delete(hash);
    if (!stored) return undefined;
    const subject = keySubject(stored.id);
    if (!this.#store.isValid(stored)) {
      return { refused: stored.revokedAt === null ? 'expired-key' : 'revoked-key', subject };
    }
    const { ownerId, hosts } = stored;
    const caller = hosts ? { ownerId, subject, hosts } : { ownerId, subject };
    this.#callers.set(hash, { ...caller, toProve: true });
    return caller;
  }
}
