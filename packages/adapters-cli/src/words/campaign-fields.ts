import type { CampaignRecord, Mirror } from '@campaign-mirror/domain';
import type { Cell } from '../terminal/output.ts';

/** The JSON form of a campaign, with the names of the interface. */
export function campaignObject({ id, ownerId, isDefault, name, createdAt, mirror }: CampaignRecord) {
  return {
    id,
    owner_id: ownerId,
    is_default: isDefault,
    name,
    created_at: createdAt,
    mirror: mirror && mirrorObject(mirror),
  };
}

/** The JSON form of a mirror, as in the interface (contract: the mirror). */
export function mirrorObject(mirror: Mirror) {
  return {
    id: mirror.id,
    campaign_id: mirror.campaignId,
    target_url: mirror.targetUrl,
    clicks: mirror.clicks,
    updated_externally: mirror.updatedExternally,
    updated_externally_at: mirror.updatedExternallyAt,
    created_at: mirror.createdAt,
    updated_at: mirror.updatedAt,
  };
}

/** The same for people, under the same names. */
export function mirrorFields(mirror: Mirror): [name: string, value: Cell][] {
  return Object.entries(mirrorObject(mirror)).map(([name, value]) => [
    name.replaceAll('_', ' ').replace('url', 'URL'),
    typeof value === 'boolean' ? yesOrNo(value) : value,
  ]);
}

export function yesOrNo(is: boolean): string {
  return is ? 'yes' : 'no';
}
