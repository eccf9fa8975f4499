import type {
  AccessKeyId,
  Caller,
  Campaign,
  CampaignId,
  MirrorChange,
  OwnerId,
  SetMirrorResult,
} from '@campaign-mirror/domain';
import { safeInteger } from '../statements/mirror-row.ts';

/** How the ports of the hot path reach PostgreSQL. Each call rejects with `Unavailable`. */
export interface HotPath {
  /** Whom a key belongs to; undefined for one that is unknown, expired or revoked. */
  key(hash: Buffer): Promise<Caller | undefined>;
  campaign(id: CampaignId): Promise<Campaign | undefined>;
  /** As `CampaignRepository#setMirror`; undefined where the campaign changed while its row was waited for. */
  set(seen: Campaign, change: MirrorChange): Promise<SetMirrorResult | undefined>;
}

/** What makes a key valid. */
const isValid = 'revoked_at is null and (expires_at is null or expires_at > clock_timestamp())';

/**
 * True where the key is valid and its owner's, else null; both as SQL has them. A number may be another key's than when
 * it was claimed, in a database that was put back from a backup.
 */
export const provenKey = (id: string, owner: string) =>
  `(select true from campaign_mirror.access_keys where id = ${id} and owner_id = ${owner} and ${isValid})`;

/** The valid key with this hash, given as SQL has it. */
export const keyOf = (hash: string) =>
  `select access_keys.id, access_keys.owner_id from campaign_mirror.access_keys where hash = ${hash} and ${isValid}`;

/** The campaign of this identifier, given as SQL has it: a row of `CampaignColumns`. */
export const campaignOf = (id: string) => `
  select owner_id as campaign_owner_id, is_default,
    (select true from campaign_mirror.mirrors where campaign_id = campaigns.id) as has_mirror
  from campaign_mirror.campaigns where id = ${id}`;

export type KeyColumns = readonly [id: string | null, ownerId: string];

export function callerIn([id, ownerId]: KeyColumns): Caller | undefined {
  if (id === null) return undefined;
  return { accessKeyId: safeInteger(id) as AccessKeyId, ownerId: safeInteger(ownerId) as OwnerId };
}

export type CampaignColumns = readonly [ownerId: string | null, isDefault: string, hasMirror: string | null];

export function campaignIn(
  id: CampaignId,
  [ownerId, isDefault, hasMirror]: CampaignColumns,
): Campaign | undefined {
  if (ownerId === null) return undefined;
  return {
    id,
    ownerId: safeInteger(ownerId) as OwnerId,
    isDefault: isTrue(isDefault),
    hasMirror: isTrue(hasMirror),
  };
}

/** As PostgreSQL writes a boolean (section 8.6). */
export function isTrue(column: string | null): boolean {
  return column === 't';
}
