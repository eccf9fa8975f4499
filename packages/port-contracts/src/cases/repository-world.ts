import type * as domain from '@campaign-mirror/domain';
import { keySubject, mirrorAddress, ownerId, subject, timestamp } from '@campaign-mirror/domain';
import { expectEqual, expectThat } from '../kit/case.ts';
import type { Steps } from '../kit/meanwhile.ts';

type CampaignId = domain.CampaignId;

/** What an author of a `CampaignRepository` provides for its cases. */
export interface CampaignRepositoryWorld {
  readonly campaigns: domain.CampaignRepository;
  readonly others: Others;
  /** Absent if the store has no access keys, so that no write proves a caller. */
  readonly keys?: {
    /** Issues a key that is valid for at least a minute, or for `expiresIn` seconds. */
    issue(owner: domain.OwnerId, expiresIn?: number): Promise<domain.AccessKeyId>;
    revoke(key: domain.AccessKeyId): Promise<unknown>;
  };
  /** Absent if the adapter has no steps. */
  readonly steps?: Steps;
}

/** Changes by others, each committed when it resolves, and the content of the store. */
export interface Others {
  /** Creates a campaign that has no mirror and is not the default one. */
  createCampaign(owner: domain.OwnerId): Promise<CampaignId>;
  /** Creates a mirror that was never updated externally. */
  createMirror(campaign: CampaignId, address: domain.MirrorAddress, clicks: number): Promise<unknown>;
  transfer(campaign: CampaignId, to: domain.OwnerId): Promise<unknown>;
  setDefault(campaign: CampaignId, isDefault: boolean): Promise<unknown>;
  deleteMirror(campaign: CampaignId): Promise<unknown>;
  /** Deletes the campaign and its mirror, if it has one. */
  deleteCampaign(campaign: CampaignId): Promise<unknown>;
  countClick(campaign: CampaignId): Promise<unknown>;
  setUpdatedAt(campaign: CampaignId, time: domain.Timestamp): Promise<unknown>;
  /** The stored mirror, with the fields of `Mirror` only. */
  mirror(campaign: CampaignId): Promise<domain.Mirror | undefined>;
  /** The changes of the campaign's mirrors, oldest first. */
  history(campaign: CampaignId): Promise<domain.HistoryEntry[]>;
  /** The store's clock; absent: the clock of this process. */
  clock?(): Promise<domain.Timestamp>;
}

type World = CampaignRepositoryWorld;
type Calling = Pick<domain.MirrorChange, 'by' | 'key'>;

let owners = 1_000_000;
let requests = 0;
/** An owner without campaigns or keys. */
export const newOwner = (): domain.OwnerId => ownerId.of(++owners);
export const greatest: domain.OwnerId = ownerId.of(Number.MAX_SAFE_INTEGER);
/** Another number with the same lower 32 bits. */
export const beyond32Bits = <Id extends number>(id: Id): Id => (id + 2 ** 32) as Id;
/** The address of a new mirror. */
export const before: domain.MirrorAddress = mirrorAddress.of('https://example.com/before');
export const numbered = (nth: number): domain.MirrorAddress => mirrorAddress.of(`https://example.com/${nth}`);

/** A caller without a key: no write checks it. */
export function withoutKey(ownerId: domain.OwnerId): Calling {
  const name = ` o'hara "$1?:a%s\\" “β” \u{1f389}`.padEnd(199, 'ü').concat(' ');
  return { by: { ownerId, subject: subject.of('jwt', name) }, key: undefined };
}

/** A caller with a key, if there are keys. */
export async function newCaller({ keys }: World, ownerId: domain.OwnerId, expiresIn?: number) {
  const key = await keys?.issue(ownerId, expiresIn);
  return key ? { by: { ownerId, subject: keySubject(key) }, key } : withoutKey(ownerId);
}

/** A campaign whose mirror is `before`, and a caller that may set it. */
export async function liveCampaign(world: World, clicks = 1) {
  const ownerId = newOwner();
  const id = await world.others.createCampaign(ownerId);
  await world.others.createMirror(id, before, clicks);
  const mirror = await world.others.mirror(id);
  if (!mirror) throw new TypeError('the world: others.mirror has no mirror after others.createMirror');
  const seen = { id, ownerId, isDefault: false, hasMirror: true };
  return { seen, mirror, caller: await newCaller(world, ownerId) };
}

/** A change with a new request id, which a store could take for a placeholder or an escape. */
export function change(caller: Calling, address = numbered(0), lastChange?: number): domain.MirrorChange {
  const requestId = `${++requests}!~'"\`;--$1?%s{0}\\`.padEnd(128, 'xX');
  return { ...caller, address, requestId, lastChange };
}

/** Sets a mirror. @throws ContractViolation as `expectRecorded` */
export async function set(world: World, seen: domain.Campaign, to: domain.MirrorChange) {
  const result = await world.campaigns.setMirror(seen, to);
  await expectRecorded(world, seen, to, result);
  return result;
}

/** Sets a mirror. @throws ContractViolation if it is not set, and as `expectRecorded` */
export async function mirrorSet(world: World, seen: domain.Campaign, to: domain.MirrorChange) {
  const result = await set(world, seen, to);
  expectThat(result.kind === 'mirror-set', `the mirror was not set: ${result.kind}`);
  return result;
}

/** Deletes the mirror, and creates another one. */
export async function createAgain({ others }: World, { id }: domain.Campaign): Promise<void> {
  await others.deleteMirror(id);
  await others.createMirror(id, before, 0);
}

/** @throws ContractViolation unless the answer and the history agree */
export async function expectRecorded(
  { others }: World,
  { id: campaignId, ownerId }: domain.Campaign,
  { by: { subject }, address, requestId }: domain.MirrorChange,
  result: domain.SetMirrorResult,
): Promise<void> {
  const rows = (await others.history(campaignId)).filter((row) => row.requestId === requestId);
  expectThat(rows.length < 2, 'a change was written twice');
  if (result.kind !== 'mirror-set') return expectThat(rows.length === 0, 'a change was written, but refused');
  expectThat(rows.length === 1, 'a change was reported, but the history does not have it');
  const { mirror, lastChange: id } = result;
  const { id: mirrorId, updatedAt: changedAt } = mirror;
  const row = { id, mirrorId, campaignId, subject, ownerId, addressAfter: address, changedAt };
  expectEqual(rows, [row], 'the history of the answer');
  const own = { campaignId, targetUrl: address, updatedExternally: true, updatedExternallyAt: changedAt };
  expectEqual(mirror, own, 'the answer');
  for (const time of [mirror.createdAt, changedAt]) expectEqual(timestamp(time), time, 'the form of a time');
}

/** The changes of a campaign. `isOne`: the mirror was not recreated. @throws ContractViolation if they are no chain */
export async function chainOf({ others }: World, id: CampaignId, isOne = true) {
  // Others can change the mirror and its history between two reads.
  const earlier = await others.history(id);
  const mirror = await others.mirror(id);
  const rows = await others.history(id);
  const at = rows.findLastIndex(({ addressAfter }) => addressAfter === mirror?.targetUrl);
  expectThat(at >= 0 || !mirror?.updatedExternally, 'a mirror changed, but not its history');
  const isBehind = mirror && (isOne || mirror.updatedExternally) && at < earlier.length - 1;
  expectThat(!isBehind, 'a history changed, but not its mirror');
  for (const [nth, row] of rows.entries()) {
    const { addressBefore } = row;
    const last = rows[nth - 1];
    const isChained =
      addressBefore === (last?.addressAfter ?? before) || (!isOne && addressBefore === before);
    expectThat(isChained, 'the address before was read ahead of the lock');
    const isLater = !last || (row.id > last.id && row.changedAt > last.changedAt);
    expectThat(isLater, 'the numbers or the times of the history do not rise');
  }
  return rows;
}
