import type { AuditEntry, CampaignRecord } from '@campaign-mirror/domain';

/** Whether it is no longer what the operator agreed to delete. Clicks are ignored: they change all the time. */
export function differs(now: CampaignRecord, seen: CampaignRecord): boolean {
  return (
    now.ownerId !== seen.ownerId ||
    now.isDefault !== seen.isDefault ||
    now.name !== seen.name ||
    now.mirror?.targetUrl !== seen.mirror?.targetUrl
  );
}

/** What the audit keeps of a deleted campaign. */
export function deletionDetails({ isDefault, name, mirror }: CampaignRecord): AuditEntry['details'] {
  const kept = { default: isDefault, name };
  return mirror ? { ...kept, target_url: mirror.targetUrl, clicks: mirror.clicks } : kept;
}
