import type { CampaignRecord } from '@campaign-mirror/domain/operator';

/** The fields of a campaign, in the order of the columns of CSV; null for a missing value. */
export function fieldsOf({ mirror, ...campaign }: CampaignRecord) {
  return {
    id: campaign.id,
    name: campaign.name,
    owner_id: campaign.ownerId,
    is_default: campaign.isDefault,
    created_at: campaign.createdAt,
    mirror_id: mirror?.id ?? null,
    target_url: mirror?.targetUrl ?? null,
    clicks: mirror?.clicks ?? null,
    updated_externally: mirror?.updatedExternally ?? null,
    updated_externally_at: mirror?.updatedExternallyAt ?? null,
    mirror_created_at: mirror?.createdAt ?? null,
    mirror_updated_at: mirror?.updatedAt ?? null,
  };
}

export type CampaignField = keyof ReturnType<typeof fieldsOf>;

/** The names of the columns, which need no campaign. */
export const campaignFields = Object.keys(fieldsOf({ mirror: null } as CampaignRecord)) as CampaignField[];
