import type {
  AccessKeyId,
  Campaign,
  CampaignId,
  Mirror,
  MirrorChange,
  OwnerId,
} from '@campaign-mirror/domain';
import { safeInteger } from './mirror-row.ts';

/** A valid key. */
export interface ValidKey {
  readonly id: AccessKeyId;
  readonly ownerId: OwnerId;
  /** In milliseconds; infinity for a key that does not expire. */
  readonly expiresIn: number;
  /** Its last use is a minute ago, or never was. */
  readonly useToNote: boolean;
}

/** Reads keys: one that is unknown, expired or revoked is undefined. Rejects with `Unavailable`. */
export interface KeyLookUp {
  key(hash: Buffer): Promise<ValidKey | undefined>;
}

/** Reads campaigns. Rejects with `Unavailable`. */
export interface CampaignLookUp {
  campaign(id: CampaignId): Promise<Campaign | undefined>;
}

/** Sets mirrors as `CampaignRepository#setMirror` promises. */
export interface MirrorUpdates {
  set(seen: Campaign, change: MirrorChange): Promise<Mirror | undefined>;
}

/** How the ports of the hot path reach PostgreSQL: each call by a statement of its own, or together with others. */
export interface HotPath extends KeyLookUp, CampaignLookUp, MirrorUpdates {}

/** What is asked of a key, and which one is valid. */
export const keyColumns = `access_keys.id, access_keys.owner_id,
  extract(epoch from expires_at - clock_timestamp()) * 1000 as expires_in,
  coalesce(last_used_at < clock_timestamp() - interval '1 minute', true) as use_to_note`;
export const isValid = 'revoked_at is null and (expires_at is null or expires_at > clock_timestamp())';

export type KeyColumns = readonly [id: string, ownerId: string, expiresIn: string | null, useToNote: string];

export function keyIn([id, ownerId, expiresIn, useToNote]: KeyColumns): ValidKey {
  return {
    id: safeInteger(id) as AccessKeyId,
    ownerId: safeInteger(ownerId) as OwnerId,
    expiresIn: expiresIn === null ? Number.POSITIVE_INFINITY : Number(expiresIn),
    useToNote: isTrue(useToNote),
  };
}

/** What is asked of a campaign, given its identifier as SQL has it. */
export const campaignColumns = (id: string) => `owner_id as campaign_owner_id, is_default,
  exists (select from campaign_mirror.mirrors where campaign_id = ${id}) as has_mirror`;

export type CampaignColumns = readonly [ownerId: string, isDefault: string, hasMirror: string];

export function campaignIn(id: CampaignId, [ownerId, isDefault, hasMirror]: CampaignColumns): Campaign {
  return {
    id,
    ownerId: safeInteger(ownerId) as OwnerId,
    isDefault: isTrue(isDefault),
    hasMirror: isTrue(hasMirror),
  };
}

/** As PostgreSQL writes a boolean (section 8.6). */
function isTrue(column: string): boolean {
  return column === 't';
}
