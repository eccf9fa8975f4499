import type { Campaign, CampaignId, HistoryEntry, Mirror, MirrorAddress } from '@campaign-mirror/domain';
import { type InMemoryStore, microseconds, timestamp } from './store.ts';

/** The campaign as it is now. */
export function campaignIn(store: InMemoryStore, id: CampaignId): Campaign | undefined {
  const stored = store.campaigns.get(id);
  if (!stored) return undefined;
  return { id, ownerId: stored.ownerId, isDefault: stored.isDefault, hasMirror: store.mirrors.has(id) };
}

/** Who sets a mirror, for the history. */
type By = Pick<HistoryEntry, 'subject' | 'requestId'>;

/** Sets the mirror and records it if the campaign still is as `seen`; otherwise undefined. */
export function setMirrorIn(
  store: InMemoryStore,
  seen: Campaign,
  address: MirrorAddress,
  by: By,
): Mirror | undefined {
  if (!seen.hasMirror) return undefined;
  const now = campaignIn(store, seen.id);
  const mirror = store.mirrors.get(seen.id);
  if (!now || !mirror || now.ownerId !== seen.ownerId || now.isDefault !== seen.isDefault) return undefined;

  const clock = store.now();
  const later = microseconds(mirror.updatedAt) + 1n;
  const changedAt = timestamp(clock > later ? clock : later);
  store.recordChange({
    ...by,
    mirrorId: mirror.id,
    campaignId: seen.id,
    ownerId: now.ownerId,
    addressBefore: mirror.targetUrl,
    addressAfter: address,
    changedAt,
  });
  mirror.targetUrl = address;
  mirror.updatedExternally = true;
  mirror.updatedExternallyAt = changedAt;
  mirror.updatedAt = changedAt;
  return { ...mirror };
}
