import type { CampaignId, Mirror, MirrorAddress, MirrorId } from '@campaign-mirror/domain';
import { safeInteger } from '../connection/rows.ts';
import { timestampAt } from './epoch-seconds.ts';

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
