import { expectThat } from '../contracts/expectations.ts';
import { before, type LiveCampaign, newOwner } from '../contracts/live-campaign.ts';
import type { AccessKeyRecord } from '../operator/access-keys.ts';
import type { Campaign } from '../set-campaign-mirror/campaign.ts';
import type { Mirror } from '../set-campaign-mirror/mirror.ts';
import type { AccessKey } from '../values/access-key.ts';
import type { AccessKeyId, CampaignId, OwnerId } from '../values/identifiers.ts';
import { type Label, label } from '../values/label.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';
import { keySubject } from '../values/subject.ts';
import type { Timestamp } from '../values/timestamp.ts';
import type { StorePorts } from './store-world.ts';

/** A number that no campaign, change or key has. */
export const nowhere = Number.MAX_SAFE_INTEGER as never;

export function named(text: string): Label {
  const read = label(text);
  if (read === undefined) throw new TypeError(`not a name: ${text}`);
  return read;
}

export async function newCampaign(
  { settings }: Pick<StorePorts, 'settings'>,
  owner = newOwner(),
  isDefault = false,
): Promise<Campaign> {
  const { id } = await settings.createCampaign({ owner, isDefault });
  return { id, ownerId: owner, isDefault, hasMirror: false };
}

export async function newMirror(
  { settings }: Pick<StorePorts, 'settings'>,
  campaign: CampaignId,
  to: MirrorAddress,
): Promise<Mirror> {
  const creation = await settings.createMirror(campaign, to);
  if (creation.kind !== 'created') throw new TypeError(creation.kind);
  return creation.mirror;
}

/** A campaign whose mirror is `before`, of an owner with one key. */
export interface Live extends LiveCampaign {
  readonly keyId: AccessKeyId;
  readonly key: AccessKey;
}

export async function liveCampaign(
  world: Pick<StorePorts, 'settings' | 'accessKeys'>,
  isDefault = false,
): Promise<Live> {
  const campaign = await newCampaign(world, newOwner(), isDefault);
  const mirror = await newMirror(world, campaign.id, before);
  const { id: keyId, key } = await world.accessKeys.issue({ owner: campaign.ownerId, name: named('tests') });
  const by = { ownerId: campaign.ownerId, subject: keySubject(keyId) };
  return { seen: { ...campaign, hasMirror: true }, mirror, by, keyId, key };
}

/** In seconds. */
export const hour = 3_600;

/** The owner's only key. */
export async function onlyKey(
  { accessKeys }: Pick<StorePorts, 'accessKeys'>,
  owner: OwnerId,
): Promise<AccessKeyRecord> {
  const [record, ...more] = await accessKeys.list({ owner, limit: 2 });
  expectThat(record !== undefined && more.length === 0, 'one key of this owner');
  return record;
}

/** From its creation a key lives for so many seconds, or up to `late` more. */
export function expectLife(record: AccessKeyRecord | undefined, life: number, late: number): void {
  const seconds = (time?: Timestamp | null) => (time ? Date.parse(time) / 1000 : Number.NaN);
  const lives = seconds(record?.expiresAt) - seconds(record?.createdAt);
  expectThat(lives >= life - 1 && lives <= life + late, `a life of ${life} s, not ${lives} s`);
}
