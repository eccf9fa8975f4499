import type { Campaign, CampaignId, Mirror, MirrorChange } from '@campaign-mirror/domain';

/** A valid key, as the driver reads it. */
export interface KeyRow {
  readonly id: string;
  readonly owner_id: string;
  /** In milliseconds; null for a key that does not expire. */
  readonly expires_in: string | null;
  /** Its last use is a minute ago, or never was. */
  readonly use_to_note: boolean;
}

/** Reads keys: one that is unknown, expired or revoked is undefined. Rejects with `Unavailable`. */
export interface KeyLookUp {
  key(hash: Buffer): Promise<KeyRow | undefined>;
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
