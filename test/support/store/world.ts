import type {
  AccessKey,
  AccessKeyId,
  AccessKeys,
  Campaign,
  CampaignId,
  CampaignSettings,
  Label,
  MirrorAddress,
  OperatorAct,
} from '@campaign-mirror/domain';
import { keySubject, label } from '@campaign-mirror/domain';
import {
  before,
  type LiveCampaign,
  newOwner,
} from '../../../packages/port-contracts/src/cases/live-campaign.ts';

export {
  address,
  after,
  before,
  change,
  mirrorSet,
  newOwner,
} from '../../../packages/port-contracts/src/cases/live-campaign.ts';

interface Settings {
  readonly settings: Pick<CampaignSettings, 'createCampaign' | 'createMirror'>;
}

export async function newCampaign({ settings }: Settings, owner = newOwner(), isDefault = false) {
  const creation = await settings.createCampaign({ owner, isDefault });
  if (creation.kind !== 'created') throw new TypeError(creation.kind);
  return { id: creation.id, ownerId: owner, isDefault, hasMirror: false } satisfies Campaign;
}

export async function newMirror({ settings }: Settings, campaign: CampaignId, to: MirrorAddress) {
  const creation = await settings.createMirror(campaign, to);
  if (creation.kind !== 'created') throw new TypeError(creation.kind);
  return creation.mirror;
}

/** A campaign whose mirror is `before`, of an owner with one key. */
export interface Live extends LiveCampaign {
  readonly keyId: AccessKeyId;
  readonly key: AccessKey;
}

export async function liveCampaign(world: Settings & { readonly accessKeys: AccessKeys }): Promise<Live> {
  const campaign = await newCampaign(world);
  const mirror = await newMirror(world, campaign.id, before);
  const { id: keyId, key } = await world.accessKeys.issue({ owner: campaign.ownerId, name: named('tests') });
  const by = { ownerId: campaign.ownerId, subject: keySubject(keyId) };
  return { seen: { ...campaign, hasMirror: true }, mirror, by, keyId, key };
}

export function named(text: string): Label {
  const read = label(text);
  if (read === undefined) throw new TypeError(`not a name: ${text}`);
  return read;
}

/** Whoever acts in the tests. */
export const tester: OperatorAct = { operator: 'tests', requestId: 'operator-tests' };
