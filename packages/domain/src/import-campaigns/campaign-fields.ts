import type { CampaignRecord } from '../operator/campaign-record.ts';

/** The fields of a campaign in its text form, in this order. */
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

/** A column of the text form of campaigns. */
export type CampaignField = (typeof campaignFields)[number];

/** Empty for a missing value, such as no name or no mirror. */
export type CampaignFields = Readonly<Record<CampaignField, string>>;

/** Writes a campaign as text; `importedCampaign` reads the same campaign from it. */
export function fieldsOf({ mirror, ...campaign }: CampaignRecord): CampaignFields {
  return {
    id: text(campaign.id),
    name: text(campaign.name),
    owner_id: text(campaign.ownerId),
    is_default: text(campaign.isDefault),
    created_at: text(campaign.createdAt),
    mirror_id: text(mirror?.id),
    target_url: text(mirror?.targetUrl),
    clicks: text(mirror?.clicks),
    updated_externally: text(mirror?.updatedExternally),
    updated_externally_at: text(mirror?.updatedExternallyAt),
    mirror_created_at: text(mirror?.createdAt),
    mirror_updated_at: text(mirror?.updatedAt),
  };
}

function text(value: string | number | boolean | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}
