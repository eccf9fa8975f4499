import {
  type AccessKeyId,
  type Caller,
  type Campaign,
  type CampaignId,
  type HostDenylist,
  hostDenylist,
  keySubject,
  type Mirror,
  type OwnerId,
} from '@campaign-mirror/domain';

export const caller: Caller = { ownerId: 7 as OwnerId, subject: keySubject(77 as AccessKeyId) };

/** A campaign that the caller may update. */
export const campaign: Campaign = {
  id: 42 as CampaignId,
  ownerId: caller.ownerId,
  isDefault: false,
  hasMirror: true,
};

/** As the store has it; nobody in between looks at it. */
export const mirror = { id: 1, campaignId: campaign.id, clicks: 3 } as Mirror;

export function denying(...entries: readonly string[]): HostDenylist {
  const list = hostDenylist(entries);
  if ('notAHost' in list) throw new TypeError(`not a host: ${list.notAHost}`);
  return list;
}
