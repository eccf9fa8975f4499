import type { CampaignId, CampaignRecord, OwnerId, Timestamp } from '@campaign-mirror/domain';
import { type MirrorRow, mirrorOf, safeInteger } from './mirror-row.ts';

export type RecordRow = {
  campaign: string;
  owner_id: string;
  is_default: boolean;
  name: string | null;
  campaign_created_at: string;
} & (MirrorRow | { id: null });

export function recordOf(row: RecordRow): CampaignRecord {
  return {
    id: safeInteger(row.campaign) as CampaignId,
    ownerId: safeInteger(row.owner_id) as OwnerId,
    isDefault: row.is_default,
    name: row.name,
    createdAt: row.campaign_created_at as Timestamp,
    mirror: row.id === null ? null : mirrorOf(row),
  };
}
