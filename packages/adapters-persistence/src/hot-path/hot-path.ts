import {
  type AccessKeyId,
  type Campaign,
  type CampaignId,
  type Identified,
  keySubject,
  type MirrorChange,
  type OwnerId,
  type SetMirrorResult,
} from '@campaign-mirror/domain';
import { safeInteger } from '../connection/rows.ts';
import { isTrue } from '../statements/set-mirrors.ts';

/** How the ports of the hot path reach PostgreSQL. Any call may reject with `Unavailable`. */
export interface HotPath {
  /** The caller that a key belongs to, or that it has expired or was revoked; undefined for a key that is unknown. */
  key(hash: Buffer): Promise<Identified>;
  campaign(id: CampaignId): Promise<Campaign | undefined>;
  /** As `CampaignRepository#setMirror`; undefined where the campaign changed while its row was waited for. */
  set(seen: Campaign, change: MirrorChange): Promise<SetMirrorResult | undefined>;
}

export type KeyColumns = readonly [id: string | null, ownerId: string, refused: string | null];

export function callerIn([id, ownerId, refused]: KeyColumns): Identified {
  if (id === null) return undefined;
  const subject = keySubject(safeInteger(id) as AccessKeyId);
  return refused === null ? { ownerId: safeInteger(ownerId) as OwnerId, subject } : { refused, subject };
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
