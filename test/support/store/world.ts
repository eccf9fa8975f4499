import {
  type AccessKey,
  type AccessKeyId,
  type AccessKeys,
  type Audit,
  type Caller,
  type Campaign,
  type CampaignExport,
  type CampaignId,
  type CampaignImport,
  type CampaignRecords,
  type CampaignRepository,
  type CampaignSettings,
  type HistoryEntry,
  type HistoryPruning,
  type Identity,
  keySubject,
  type Mirror,
  type MirrorAddress,
  type MirrorChange,
  type MirrorHistory,
  type MirrorMoves,
  mirrorAddress,
  noDeniedHosts,
  type OperatorMirrors,
  type OwnerId,
  type Timestamp,
} from '@campaign-mirror/domain';
import { named } from './operator.ts';

/** The ports of one store. */
export interface Ports {
  readonly campaigns: CampaignRepository;
  readonly settings: CampaignSettings;
  readonly records: CampaignRecords;
  readonly accessKeys: AccessKeys;
  readonly identity: Identity;
  readonly history: MirrorHistory;
  readonly operatorMirrors: OperatorMirrors;
  readonly historyPruning: HistoryPruning;
  readonly mirrorMoves: MirrorMoves;
  readonly audit: Audit;
  readonly imports: CampaignImport;
  readonly exports: CampaignExport;
}

/** Those, and what happens to the store by other hands than theirs. */
export interface World extends Ports {
  readonly others: Others;
  close(): Promise<void>;
}

/** What others do, and what is seen by looking behind the ports. */
export interface Others {
  transfer(campaign: CampaignId, to: OwnerId): Promise<void>;
  setDefault(campaign: CampaignId, isDefault: boolean): Promise<void>;
  deleteMirror(campaign: CampaignId): Promise<void>;
  deleteCampaign(campaign: CampaignId): Promise<void>;
  countClick(campaign: CampaignId): Promise<void>;
  setUpdatedAt(campaign: CampaignId, time: Timestamp): Promise<void>;
  expireKey(key: AccessKeyId): Promise<void>;
  deleteKey(key: AccessKeyId): Promise<void>;
  /** As a database that was put back may have the number for a key of somebody else. */
  giveKey(key: AccessKeyId, to: OwnerId): Promise<void>;
  /** Resolves when it is written which keys were used so far. */
  usesAreWritten(): Promise<void>;

  /** By the store's clock. */
  clock(): Promise<Timestamp>;
  mirror(campaign: CampaignId): Promise<Mirror | undefined>;
  /** A change that was recorded at that time. */
  recordChange(campaign: CampaignId, changedAt: Timestamp): Promise<void>;
  /** In the order in which the rows were written. */
  history(campaign: CampaignId): Promise<HistoryEntry[]>;
  /** All that is stored about an access key, as text. */
  storedKey(key: AccessKeyId): Promise<string>;
  /** Makes the calls so that several have begun before the first of them can write the campaign's mirror. */
  atOnce<T>(campaign: CampaignId, calls: (() => Promise<T>)[]): Promise<T[]>;
}

/** A named promise that every adapter of a port keeps. */
export interface Check {
  readonly name: string;
  check(world: World): Promise<void>;
}

let lastOwner = 0;

/** Nobody else's campaigns or keys are this owner's. */
export function newOwner(): OwnerId {
  lastOwner += 1;
  return (1_000_000 + lastOwner) as OwnerId;
}

export function address(text: string): MirrorAddress {
  const read = mirrorAddress(text, noDeniedHosts);
  if (typeof read !== 'string') throw new Error(`not an address (${read.fault}): ${text}`);
  return read;
}

export const before = address('https://example.com/before');
export const after = address('https://example.com/after');

export async function newCampaign(
  world: Pick<Ports, 'settings'>,
  owner = newOwner(),
  isDefault = false,
): Promise<Campaign> {
  const { id } = await world.settings.createCampaign({ owner, isDefault });
  return { id, ownerId: owner, isDefault, hasMirror: false };
}

/** A campaign of an owner with one key, whose mirror is `before`: everything that an update needs. */
export interface Live {
  readonly seen: Campaign;
  readonly mirror: Mirror;
  readonly by: Caller;
  readonly keyId: AccessKeyId;
  readonly key: AccessKey;
}

export async function liveCampaign(
  world: Pick<Ports, 'settings' | 'accessKeys'>,
  isDefault = false,
): Promise<Live> {
  const campaign = await newCampaign(world, newOwner(), isDefault);
  const mirror = await newMirror(world, campaign.id, before);
  const { id: keyId, key } = await world.accessKeys.issue({ owner: campaign.ownerId, name: named('tests') });
  const by = { ownerId: campaign.ownerId, subject: keySubject(keyId) };
  return { seen: { ...campaign, hasMirror: true }, mirror, by, keyId, key };
}

export async function newMirror(
  world: Pick<Ports, 'settings'>,
  campaign: CampaignId,
  to: MirrorAddress,
): Promise<Mirror> {
  const creation = await world.settings.createMirror(campaign, to);
  if (creation.kind !== 'created') throw new Error(creation.kind);
  return creation.mirror;
}

/** Sets a mirror that may be set. */
export async function mirrorSet(
  { campaigns }: Pick<Ports, 'campaigns'>,
  seen: Campaign,
  to: MirrorChange,
): Promise<Mirror> {
  const result = await campaigns.setMirror(seen, to);
  if (result.kind !== 'mirror-set') throw new Error(result.kind);
  return result.mirror;
}

export function change(by: Caller, to = after, requestId = 'request-1'): MirrorChange {
  return { address: to, by, requestId };
}
