import type { Caller } from '../set-campaign-mirror/caller.ts';
import type { Campaign } from '../set-campaign-mirror/campaign.ts';
import type { CampaignRepository, MirrorChange } from '../set-campaign-mirror/campaign-repository.ts';
import type { Mirror } from '../set-campaign-mirror/mirror.ts';
import { noDeniedHosts } from '../values/host-denylist.ts';
import type { CampaignId, OwnerId } from '../values/identifiers.ts';
import { type MirrorAddress, mirrorAddress } from '../values/mirror-address.ts';
import { keySubject, type Subject, subject } from '../values/subject.ts';
import type { CampaignRepositoryWorld } from './campaign-repository-world.ts';
import { ContractViolation } from './expectations.ts';

type World = CampaignRepositoryWorld;

let lastOwner = 1_000_000;

/** An owner of this process without campaigns or keys. */
export function newOwner(): OwnerId {
  lastOwner += 1;
  return lastOwner as OwnerId;
}

export function address(text: string): MirrorAddress {
  const read = mirrorAddress(text, noDeniedHosts);
  if (typeof read !== 'string') throw new TypeError(`not an address (${read.fault}): ${text}`);
  return read;
}

export const before = address('https://example.com/before');
export const after = address('https://example.com/after');

/** A subject that is no access key's. */
export const withoutKey = subject('jwt', 'client:4 “β”') as Subject;

/** A campaign whose mirror is `before`, and a caller that may set it. */
export interface LiveCampaign {
  readonly seen: Campaign;
  readonly mirror: Mirror;
  readonly by: Caller;
}

export async function liveCampaign(world: World, isDefault = false): Promise<LiveCampaign> {
  const campaign = await newCampaign(world, newOwner(), isDefault);
  const mirror = await newMirror(world, campaign.id, before);
  return { seen: { ...campaign, hasMirror: true }, mirror, by: await newCaller(world, campaign.ownerId) };
}

export async function newCampaign(
  { others }: World,
  owner = newOwner(),
  isDefault = false,
): Promise<Campaign> {
  const id = await others.createCampaign(owner, isDefault);
  return { id, ownerId: owner, isDefault, hasMirror: false };
}

export async function newMirror({ others }: World, campaign: CampaignId, to: MirrorAddress): Promise<Mirror> {
  await others.createMirror(campaign, to);
  const mirror = await others.mirror(campaign);
  if (!mirror) throw new TypeError('the world: others.mirror has no mirror after others.createMirror');
  return mirror;
}

async function newCaller({ keys }: World, ownerId: OwnerId): Promise<Caller> {
  return { ownerId, subject: keys ? keySubject(await keys.issue(ownerId)) : withoutKey };
}

/** Sets a mirror that may be set. @throws ContractViolation when it is not set */
export async function mirrorSet(
  { campaigns }: { readonly campaigns: CampaignRepository },
  seen: Campaign,
  to: MirrorChange,
): Promise<Mirror> {
  const result = await campaigns.setMirror(seen, to);
  if (result.kind !== 'mirror-set') throw new ContractViolation(`the mirror was not set: ${result.kind}`);
  return result.mirror;
}

export function change(by: Caller, to = after, requestId = 'request-1'): MirrorChange {
  return { address: to, by, requestId };
}
