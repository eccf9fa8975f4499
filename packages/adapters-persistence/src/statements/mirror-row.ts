import type { CampaignId, Mirror, MirrorAddress, MirrorId, Timestamp } from '@campaign-mirror/domain';
import { timestampText } from '../schema/schema.ts';
import { timestampAt } from './epoch-seconds.ts';

/** A mirror as the driver reads it: bigint as text. */
export interface MirrorRow {
  id: string;
  campaign_id: string;
  target_url: string;
  clicks: string;
  updated_externally: boolean;
  updated_externally_at: string | null;
  created_at: string;
  updated_at: string;
}

export const mirrorColumns = `id, campaign_id, target_url, clicks, updated_externally,
  ${timestampText('updated_externally_at')} as updated_externally_at,
  ${timestampText('created_at')} as created_at, ${timestampText('updated_at')} as updated_at`;

export function mirrorOf(row: MirrorRow): Mirror {
  return {
    id: safeInteger(row.id) as MirrorId,
    campaignId: safeInteger(row.campaign_id) as CampaignId,
    targetUrl: row.target_url as MirrorAddress,
    clicks: safeInteger(row.clicks),
    updatedExternally: row.updated_externally,
    updatedExternallyAt: row.updated_externally_at as Timestamp | null,
    createdAt: row.created_at as Timestamp,
    updatedAt: row.updated_at as Timestamp,
  };
}

/** The result of setting a mirror, with times as `epochSeconds`. */
export type SetMirrorRow = readonly [
  id: string,
  clicks: string,
  createdAt: string,
  changedAt: string,
  ...more: (string | null)[],
];

/** The mirror as it was set. */
export function mirrorSetTo(
  campaignId: CampaignId,
  targetUrl: MirrorAddress,
  [id, clicks, createdAt, changedAt]: SetMirrorRow,
): Mirror {
  const updatedAt = timestampAt(changedAt);
  return {
    id: safeInteger(id) as MirrorId,
    campaignId,
    targetUrl,
    clicks: safeInteger(clicks),
    updatedExternally: true,
    updatedExternallyAt: updatedAt,
    createdAt: timestampAt(createdAt),
    updatedAt,
  };
}

/** @throws RangeError above 2^53-1, where a number would silently be rounded to another */
export function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('the database holds an integer above 2^53-1');
  return value;
}
