import * as domain from '@campaign-mirror/domain';
import type { AccessKeys, CampaignSettings, OperatorAct } from '@campaign-mirror/domain/operator';
import { before, newOwner } from '../../../packages/port-contracts/src/cases/repository-world.ts';

export { before, newOwner };
export const address = (text: string) => text as domain.MirrorAddress;
export const after: domain.MirrorAddress = domain.mirrorAddress.of('https://example.com/after');

/** The change that the use case makes of a call of this caller. */
export function change(
  { ownerId, subject, key }: domain.Caller,
  address: domain.MirrorAddress = after,
  requestId = 'request-1',
): domain.MirrorChange {
  return { address, by: { ownerId, subject }, key, requestId };
}

interface Settings {
  readonly settings: Pick<CampaignSettings, 'createCampaign' | 'createMirror'>;
}

export async function newCampaign({ settings }: Settings, owner = newOwner(), isDefault = false) {
  const creation = await settings.createCampaign({ owner, isDefault });
  if (creation.kind !== 'created') throw new TypeError(creation.kind);
  return { id: creation.id, ownerId: owner, isDefault, hasMirror: false } satisfies domain.Campaign;
}

/** Creates the mirror `before`. */
export async function newMirror({ settings }: Settings, campaign: domain.CampaignId) {
  const creation = await settings.createMirror(campaign, before);
  if (creation.kind !== 'created') throw new TypeError(creation.kind);
  return creation.mirror;
}

/** A campaign with the mirror `before`, and a key of its owner. */
export interface Live {
  readonly seen: domain.Campaign;
  readonly mirror: domain.Mirror;
  readonly by: domain.Caller;
  readonly keyId: domain.AccessKeyId;
  readonly key: domain.AccessKey;
}

export async function liveCampaign(world: Settings & { readonly accessKeys: AccessKeys }): Promise<Live> {
  const campaign = await newCampaign(world);
  const mirror = await newMirror(world, campaign.id);
  const { id: keyId, key } = await world.accessKeys.issue({ owner: campaign.ownerId, name: named('tests') });
  const by = { ownerId: campaign.ownerId, subject: domain.keySubject(keyId), key: keyId };
  return { seen: { ...campaign, hasMirror: true }, mirror, by, keyId, key };
}

export const named = domain.label.of;
export const tester: OperatorAct = { operator: 'tests', requestId: 'operator-tests' };

const key = 77 as domain.AccessKeyId;
export const caller: domain.Caller = { ownerId: 7 as domain.OwnerId, subject: domain.keySubject(key), key };

/** A campaign that the caller may update. */
export const campaign: domain.Campaign = {
  id: 42 as domain.CampaignId,
  ownerId: caller.ownerId,
  isDefault: false,
  hasMirror: true,
};
export const mirror = { id: 1, campaignId: campaign.id, clicks: 3 } as domain.Mirror;

export function denying(...entries: string[]): domain.HostList {
  const list = domain.hostList(entries, 'deny');
  if ('notAHost' in list) throw new TypeError(`not a host: ${list.notAHost}`);
  return list;
}
