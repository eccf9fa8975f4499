import type { CampaignId, CampaignRecord, Mirror, Timestamp } from '@campaign-mirror/domain';
import { timestampText } from '../schema/times.ts';

/** The columns of a `Mirror`, as `rowsOf` reads it. */
export const mirrorColumns = `id, campaign_id as "campaignId", target_url as "targetUrl", clicks,
  updated_externally as "updatedExternally", ${timestampText('updated_externally_at')} as "updatedExternallyAt",
  ${timestampText('created_at')} as "createdAt", ${timestampText('updated_at')} as "updatedAt"`;

/** A campaign beside its mirror, as `rowsOf` reads it. */
export type RecordRow = Pick<CampaignRecord, 'ownerId' | 'isDefault' | 'name'> & {
  campaign: CampaignId;
  campaignCreatedAt: Timestamp;
} & (Mirror | { id: null });

/** Campaigns, with names of columns that differ from those of a mirror. */
export const namedCampaigns = `
  select id as campaign, owner_id, is_default, name, created_at as campaign_created from campaign_mirror.campaigns`;

/** `RecordRow`s of `namedCampaigns`, whose alias has to be `asked`, in the order of their numbers. */
export const recordsText = (campaigns: string) => `
  select campaign, asked.owner_id as "ownerId", asked.is_default as "isDefault", name,
    ${timestampText('campaign_created')} as "campaignCreatedAt", ${mirrorColumns}
  from ${campaigns} left join campaign_mirror.mirrors on mirrors.campaign_id = campaign
  order by campaign`;

export function recordOf(row: RecordRow): CampaignRecord {
  const { campaign: id, ownerId, isDefault, name, campaignCreatedAt: createdAt, ...mirror } = row;
  return { id, ownerId, isDefault, name, createdAt, mirror: mirror.id === null ? null : mirror };
}
