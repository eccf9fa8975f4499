import * as domain from '@campaign-mirror/domain';
import type { AccessKeys, CampaignSettings, OperatorAct } from '@campaign-mirror/domain/operator';
import * as live from '../../../packages/port-contracts/src/cases/campaign-repository-world.ts';

export const { address, after, before, change, mirrorSet, newOwner } = live;

interface Settings {
  readonly settings: Pick<CampaignSettings, 'createCampaign' | 'createMirror'>;
}

export async function newCampaign({ settings }: Settings, owner = newOwner(), isDefault = false) {
  const creation = await settings.createCampaign({ owner, isDefault });
  if (creation.kind !== 'created') throw new TypeError(creation.kind);
  return { id: creation.id, ownerId: owner, isDefault, hasMirror: false } satisfies domain.Campaign;
}

export async function newMirror(
  { settings }: Settings,
  campaign: domain.CampaignId,
  to: domain.MirrorAddress,
) {
  const creation = await settings.createMirror(campaign, to);
  if (creation.kind !== 'created') throw new TypeError(creation.kind);
  return creation.mirror;
}

/** A campaign whose mirror is `before`, of an owner with one key. */
export interface Live extends live.LiveCampaign {
  readonly keyId: domain.AccessKeyId;
  readonly key: domain.AccessKey;
}

export async function liveCampaign(world: Settings & { readonly accessKeys: AccessKeys }): Promise<Live> {
  const campaign = await newCampaign(world);
  const mirror = await newMirror(world, campaign.id, before);
  const { id: keyId, key } = await world.accessKeys.issue({ owner: campaign.ownerId, name: named('tests') });
  const by = { ownerId: campaign.ownerId, subject: domain.keySubject(keyId) };
  return { seen: { ...campaign, hasMirror: true }, mirror, by, keyId, key };
}

export function named(text: string): domain.Label {
  const read = domain.label(text);
  if (read === undefined) throw new TypeError(`not a name: ${text}`);
  return read;
}

export const tester: OperatorAct = { operator: 'tests', requestId: 'operator-tests' };

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
