import type * as domain from '@campaign-mirror/domain';
import { keySubject, subject } from '@campaign-mirror/domain';
import { ContractViolation, expectThat } from '../kit/case.ts';
import type { Steps } from '../kit/meanwhile.ts';

type CampaignId = domain.CampaignId;

/** What the author of a `CampaignRepository` provides for its cases: plain objects and functions. */
export interface CampaignRepositoryWorld {
  readonly campaigns: domain.CampaignRepository;
  readonly others: Others;
  /** Absent if the store has no access keys: its callers then have other subjects, which no write proves. */
  readonly keys?: KeyHolder;
  /** Absent if the adapter cannot be paused. */
  readonly steps?: Steps;
}

/**
 * What others than the repository do to the store, and the content of the store. Each act is a transaction of its own,
 * and is committed when it resolves.
 */
export interface Others {
  /** Creates a campaign that has no mirror and is not the default one. */
  readonly createCampaign: (owner: domain.OwnerId) => Promise<CampaignId>;
  /** Creates a mirror that was never updated externally, and has no clicks. */
  readonly createMirror: (campaign: CampaignId, address: domain.MirrorAddress) => Promise<unknown>;
  readonly transfer: (campaign: CampaignId, to: domain.OwnerId) => Promise<unknown>;
  readonly setDefault: (campaign: CampaignId, isDefault: boolean) => Promise<unknown>;
  readonly deleteMirror: (campaign: CampaignId) => Promise<unknown>;
  /** Deletes the campaign and its mirror, if it has one. */
  readonly deleteCampaign: (campaign: CampaignId) => Promise<unknown>;
  readonly countClick: (campaign: CampaignId) => Promise<unknown>;
  readonly setUpdatedAt: (campaign: CampaignId, time: domain.Timestamp) => Promise<unknown>;

  /** The mirror as it is stored. */
  readonly mirror: (campaign: CampaignId) => Promise<domain.Mirror | undefined>;
  /** The changes of the campaign's mirrors, in the order in which they were made. */
  readonly history: (campaign: CampaignId) => Promise<domain.HistoryEntry[]>;
  /** The time by the store's clock; without it, the clock of this process counts. */
  readonly clock?: () => Promise<domain.Timestamp>;
}

/** Issues access keys, and makes them invalid. */
export interface KeyHolder {
  /** Issues a key that is valid for at least an hour. With `never`, it does not expire, if there are such keys. */
  readonly issue: (owner: domain.OwnerId, expires?: 'never' | undefined) => Promise<domain.AccessKeyId>;
  readonly revoke: (key: domain.AccessKeyId) => Promise<unknown>;
  readonly expire: (key: domain.AccessKeyId) => Promise<unknown>;
  readonly delete: (key: domain.AccessKeyId) => Promise<unknown>;
  /** Gives the key's number to another owner's key, as a restored backup can. */
  readonly give: (key: domain.AccessKeyId, to: domain.OwnerId) => Promise<unknown>;
}

let lastOwner = 1_000_000;

/** An owner without campaigns or keys. Each process starts again from the same number. */
export function newOwner(): domain.OwnerId {
  lastOwner += 1;
  return lastOwner as domain.OwnerId;
}

export const address = (text: string) => text as domain.MirrorAddress;
export const before = address('https://example.com/before');
export const after = address('https://example.com/after');
export const numbered = (nth: number) => address(`https://example.com/${nth}`);

export const greatest = Number.MAX_SAFE_INTEGER as domain.OwnerId;
/** Another number, whose lower 32 bits are the same. */
export const beyond32Bits = <Id extends number>(id: Id) => (id + 2 ** 32) as Id;

export const withoutKey = subject(
  'jwt',
  ` o'hara "$1?:a%s\\" “β” \u{1f389}`.padEnd(199, 'ü').concat(' '),
) as domain.Subject;

/** A campaign whose mirror is `before`, and a caller that may set it. */
export interface LiveCampaign {
  readonly seen: domain.Campaign;
  readonly mirror: domain.Mirror;
  readonly by: domain.Caller;
}

export async function liveCampaign(world: CampaignRepositoryWorld): Promise<LiveCampaign> {
  const campaign = await newCampaign(world);
  const mirror = await newMirror(world, campaign.id);
  return { seen: { ...campaign, hasMirror: true }, mirror, by: await newCaller(world, campaign.ownerId) };
}

export async function newCampaign(
  { others }: CampaignRepositoryWorld,
  ownerId = newOwner(),
): Promise<domain.Campaign> {
  return { id: await others.createCampaign(ownerId), ownerId, isDefault: false, hasMirror: false };
}

export async function newMirror(
  { others }: CampaignRepositoryWorld,
  campaign: domain.CampaignId,
): Promise<domain.Mirror> {
  await others.createMirror(campaign, before);
  const mirror = await others.mirror(campaign);
  if (!mirror) throw new TypeError('the world: others.mirror has no mirror after others.createMirror');
  return mirror;
}

export async function newCaller(
  { keys }: CampaignRepositoryWorld,
  ownerId: domain.OwnerId,
  expires?: 'never',
): Promise<domain.Caller> {
  return { ownerId, subject: keys ? keySubject(await keys.issue(ownerId, expires)) : withoutKey };
}

/** Sets a mirror that the caller may set. @throws ContractViolation when it is not set */
export async function mirrorSet(
  { campaigns }: { readonly campaigns: domain.CampaignRepository },
  seen: domain.Campaign,
  to: domain.MirrorChange,
): Promise<domain.Mirror> {
  const result = await campaigns.setMirror(seen, to);
  if (result.kind !== 'mirror-set') throw new ContractViolation(`the mirror was not set: ${result.kind}`);
  return result.mirror;
}

export function change(by: domain.Caller, to = after, requestId = 'request-1'): domain.MirrorChange {
  return { address: to, by, requestId };
}

/**
 * The number of recorded changes and the address of a campaign, as others see them. Each change must be to another
 * address.
 * @throws ContractViolation when the mirror and its history do not agree
 */
export async function stored({ others }: CampaignRepositoryWorld, id: domain.CampaignId) {
  // The history is read before and after the mirror, since others can change both in between.
  const earlier = await others.history(id);
  const mirror = await others.mirror(id);
  const rows = await others.history(id);
  if (mirror) {
    const at = rows.findLastIndex((row) => row.addressAfter === mirror.targetUrl);
    expectThat(at >= 0 || !mirror.updatedExternally, 'a mirror changed, but not its history');
    const isBehind = at < earlier.length - 1 && earlier.at(-1)?.mirrorId === mirror.id;
    expectThat(!isBehind, 'a history changed, but not its mirror');
  }
  return { changes: rows.length, address: mirror?.targetUrl };
}

/** Compares the answers with the number of changes recorded for them. @throws ContractViolation when they differ */
export function expectReported(results: readonly domain.SetMirrorResult[], changes: number): void {
  const set = results.filter(({ kind }) => kind === 'mirror-set').length;
  expectThat(set <= changes, 'a change was reported, but not written');
  expectThat(set >= changes, 'a change was written, but refused');
}
