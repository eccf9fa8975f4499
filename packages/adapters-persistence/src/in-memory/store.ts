import type {
  AccessKeyId,
  AccessKeyRecord,
  AuditEntry,
  AuditId,
  CampaignId,
  CampaignRecord,
  HistoryEntry,
  Mirror,
  OperatorAct,
  Timestamp,
} from '@campaign-mirror/domain';
import type { AuditNote } from '../schema/audit-note.ts';
import { countedUpTo } from '../schema/counted-numbers.ts';

type Stored<T> = { -readonly [Field in keyof T]: T[Field] };
type StoredCampaign = Stored<Omit<CampaignRecord, 'mirror'>>;
export type StoredMirror = Stored<Mirror>;

export type StoredAccessKey = Stored<AccessKeyRecord>;

/** The operator where none is named. */
const somebody: OperatorAct = { operator: 'somebody', requestId: 'in-memory' };

/**
 * State shared by the in-memory adapters. One process, nothing persisted; as atomic as PostgreSQL, because a step that
 * judges and writes is not interrupted.
 */
export class InMemoryStore {
  readonly campaigns = new Map<CampaignId, StoredCampaign>();
  readonly mirrors = new Map<CampaignId, StoredMirror>();
  /** By the SHA-256 of the key, in hexadecimal. */
  readonly accessKeys = new Map<string, StoredAccessKey>();
  readonly history: HistoryEntry[] = [];
  readonly audit: AuditEntry[] = [];
  readonly now: () => bigint;
  #lastId = 0;

  /** `now` gives microseconds since 1970. */
  constructor(now = () => BigInt(Date.now()) * 1000n) {
    this.now = now;
  }

  /** A key by its identifier. */
  accessKey(id: AccessKeyId): StoredAccessKey | undefined {
    return [...this.accessKeys.values()].find((one) => one.id === id);
  }

  /** The present state of a campaign and its mirror. */
  record(id: CampaignId): CampaignRecord | undefined {
    const campaign = this.campaigns.get(id);
    const mirror = this.mirrors.get(id);
    return campaign && { ...campaign, mirror: mirror ? { ...mirror } : null };
  }

  /** Adds a change to the history. */
  recordChange(change: Omit<HistoryEntry, 'id'>): void {
    this.history.push({ id: this.nextId(), ...change });
  }

  /** Later numbers are beyond this one; numbers that counting never reaches are ignored. */
  moveOn(last: number): void {
    if (last <= countedUpTo) this.#lastId = Math.max(this.#lastId, last);
  }

  /** A number that was not given before. */
  nextId<Id extends number>(): Id {
    this.#lastId += 1;
    return this.#lastId as Id;
  }
}

/** An adapter that works on the shared state; `act` is in whose name it acts. */
export class StoreAdapter {
  protected readonly store: InMemoryStore;
  protected readonly act: OperatorAct;

  constructor(store: InMemoryStore, act = somebody) {
    this.store = store;
    this.act = act;
  }

  /** Records an act of the operator. */
  protected note({ act, ...more }: AuditNote): void {
    const { operator, requestId } = this.act;
    const id = this.store.nextId<AuditId>();
    const at = timestamp(this.store.now());
    const nothing = { databaseRole: null, campaignId: null, ownerId: null, accessKeyId: null, details: {} };
    this.store.audit.push({ ...nothing, ...more, id, at, act, operator, requestId });
  }
}

/** Whether the key may be used at this time. */
export function isValid({ revokedAt, expiresAt }: StoredAccessKey, now: Timestamp): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

/** `2026-11-20T15:36:00.123456Z` for microseconds since 1970. */
export function timestamp(microseconds: bigint): Timestamp {
  const milliseconds = new Date(Number(microseconds / 1000n)).toISOString().slice(0, -1);
  return `${milliseconds}${String(microseconds % 1000n).padStart(3, '0')}Z` as Timestamp;
}

export function microseconds(time: Timestamp): bigint {
  return BigInt(Date.parse(`${time.slice(0, 23)}Z`)) * 1000n + BigInt(time.slice(23, 26));
}
