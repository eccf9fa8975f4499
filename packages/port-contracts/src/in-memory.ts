import { hash, randomBytes } from 'node:crypto';
import type * as domain from '@campaign-mirror/domain';
import { accessKeyFrom, keySubject, mirrorAddress, ownerId } from '@campaign-mirror/domain';

type Stored<T> = { -readonly [Field in keyof T]: T[Field] };

/** `expiresAt`: in microseconds since 1970. */
type StoredKey = { id: domain.AccessKeyId; ownerId: domain.OwnerId; expiresAt: number; isRevoked: boolean };

/** Both ports in memory: for tests, and as a reference. Calls are atomic, since nothing interrupts them. */
export class InMemoryStore implements domain.CampaignRepository, domain.Identity {
  readonly campaigns = new Map<number, Stored<Omit<domain.Campaign, 'hasMirror'>>>();
  /** By campaign. */
  readonly mirrors = new Map<number, Stored<domain.Mirror>>();
  /** By the SHA-256 of the key. */
  readonly accessKeys = new Map<string, StoredKey>();
  readonly history: domain.HistoryEntry[] = [];
  #lastId = 0;

  /** The time of this process. */
  get clock(): domain.Timestamp {
    return timestampOf(now());
  }

  /** Creates a campaign without a mirror. @throws TypeError unless the owner is valid */
  createCampaign(owner: number, isDefault = false): domain.CampaignId {
    const id = this.#nextId<domain.CampaignId>();
    this.campaigns.set(id, { id, ownerId: ownerId.of(owner), isDefault });
    return id;
  }

  /** Creates the mirror of a campaign. @throws TypeError if it has one, or if the address is invalid */
  createMirror(campaign: domain.CampaignId, address: string, clicks = 0): void {
    if (!this.campaigns.has(campaign) || this.mirrors.has(campaign))
      throw new TypeError(`campaign ${campaign} does not exist, or has a mirror`);
    const { clock: createdAt } = this;
    const [id, targetUrl] = [this.#nextId<domain.MirrorId>(), mirrorAddress.of(address)];
    const times = { updatedExternally: false, updatedExternallyAt: null, createdAt, updatedAt: createdAt };
    this.mirrors.set(campaign, { id, campaignId: campaign, targetUrl, clicks, ...times });
  }

  /** Issues an access key, which expires in `expiresIn` seconds; by default, never. */
  issueKey(
    owner: number,
    expiresIn = Number.POSITIVE_INFINITY,
  ): { id: domain.AccessKeyId; key: domain.AccessKey } {
    const [id, key] = [this.#nextId<domain.AccessKeyId>(), accessKeyFrom(randomBytes(32))];
    const expiresAt = now() + expiresIn * 1_000_000;
    this.accessKeys.set(hash('sha256', key), { id, ownerId: ownerId.of(owner), expiresAt, isRevoked: false });
    return { id, key };
  }

  async whoIs(credential: string): Promise<domain.Identified> {
    const stored = this.accessKeys.get(hash('sha256', credential));
    if (!stored) return undefined;
    const { id: key, ownerId } = stored;
    const subject = keySubject(key);
    return this.#isValid(stored) ? { ownerId, subject, key } : { refused: 'revoked-or-expired', subject };
  }

  async find(id: domain.CampaignId): Promise<domain.Campaign | undefined> {
    const stored = this.campaigns.get(id);
    return stored && { ...stored, hasMirror: this.mirrors.has(id) };
  }

  async setMirror(seen: domain.Campaign, change: domain.MirrorChange): Promise<domain.SetMirrorResult> {
    const { id: campaignId, ownerId } = seen;
    const stored = [...this.accessKeys.values()].find(({ id }) => id === change.key);
    const isProven = stored?.ownerId === ownerId && this.#isValid(stored);
    if (change.key !== undefined && !isProven) return { kind: 'caller-invalid' };

    const [campaign, mirror] = [this.campaigns.get(campaignId), this.mirrors.get(campaignId)];
    const isAsSeen = campaign?.ownerId === ownerId && campaign.isDefault === seen.isDefault;
    if (!mirror || !seen.hasMirror || !isAsSeen)
      return { kind: 'campaign-differs', campaign: campaign && { ...campaign, hasMirror: !!mirror } };

    const lastChange = this.history.findLast((row) => row.campaignId === campaignId)?.id ?? 0;
    if (change.lastChange !== undefined && change.lastChange !== lastChange)
      return { kind: 'condition-failed', mirror: { ...mirror }, lastChange };

    const [time, next] = [this.clock, later(mirror.updatedAt)];
    const changedAt = time > next ? time : next;
    const id = this.#nextId<domain.HistoryId>();
    const { address, requestId, by } = change;
    const addresses = { addressBefore: mirror.targetUrl, addressAfter: address };
    const row = { id, mirrorId: mirror.id, campaignId, subject: by.subject, ownerId };
    this.history.push({ ...row, ...addresses, changedAt, requestId });
    const external = { updatedExternally: true, updatedExternallyAt: changedAt };
    Object.assign(mirror, { targetUrl: address, updatedAt: changedAt, ...external });
    return { kind: 'mirror-set', mirror: { ...mirror }, lastChange: id };
  }

  #isValid({ isRevoked, expiresAt }: StoredKey): boolean {
    return !isRevoked && expiresAt > now();
  }

  #nextId<Id extends number>(): Id {
    this.#lastId += 1;
    return this.#lastId as Id;
  }
}

/** In microseconds since 1970: exact until the year 2255. */
const now = () => Math.round((performance.timeOrigin + performance.now()) * 1_000);

function timestampOf(microseconds: number): domain.Timestamp {
  const milliseconds = new Date(Math.floor(microseconds / 1_000)).toISOString().slice(0, -1);
  return `${milliseconds}${String(microseconds % 1_000).padStart(3, '0')}Z` as domain.Timestamp;
}

/** A microsecond after this time. */
const later = (time: domain.Timestamp): domain.Timestamp =>
  timestampOf(Date.parse(`${time.slice(0, 23)}Z`) * 1_000 + Number(time.slice(23, 26)) + 1);
