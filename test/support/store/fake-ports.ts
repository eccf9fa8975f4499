import * as domain from '@campaign-mirror/domain';

export const caller: domain.Caller = {
  ownerId: 7 as domain.OwnerId,
  subject: domain.keySubject(77 as domain.AccessKeyId),
};

/** A campaign that the caller may update. */
export const campaign: domain.Campaign = {
  id: 42 as domain.CampaignId,
  ownerId: caller.ownerId,
  isDefault: false,
  hasMirror: true,
};

/** As the store has it; nobody in between looks at it. */
export const mirror = { id: 1, campaignId: campaign.id, clicks: 3 } as domain.Mirror;

export function denying(...entries: readonly string[]): domain.HostList {
  const list = domain.hostList(entries);
  if ('notAHost' in list) throw new TypeError(`not a host: ${list.notAHost}`);
  return list;
}
