import type { CampaignRecord } from '../operator/campaign-settings.ts';

/** The fields of a campaign in its text form, such as the columns of CSV, in this order. */
export const campaignFields = [
  'id',
  'name',
  'owner_id',
  'is_default',
  'created_at',
  'mirror_id',
  'target_url',
  'clicks',
  'updated_externally',
  'updated_externally_at',
  'mirror_created_at',
  'mirror_updated_at',
] as const;

/** The name of a field in the text form. */
export type CampaignField = (typeof campaignFields)[number];

/** The fields of a campaign as text; empty for a missing value, such as no name or no mirror. */
export type CampaignFields = Readonly<Record<CampaignField, string>>;

/** The fields of a campaign as values; null for a missing value. */
export type CampaignValues = Readonly<Record<CampaignField, string | number | boolean | null>>;

/** The fields of a campaign. `importedCampaign` reads the same campaign from their text. */
export function fieldsOf({ mirror, ...campaign }: CampaignRecord): CampaignValues {
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
