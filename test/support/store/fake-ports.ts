import {
  type AccessKeyId,
  type Caller,
  type Campaign,
  type CampaignId,
  type CampaignRepository,
  type HostDenylist,
  hostDenylist,
  type Identity,
  keySubject,
  type Mirror,
  type MirrorChange,
  type OwnerId,
  type SetMirrorResult,
} from '@campaign-mirror/domain';

export const caller: Caller = { ownerId: 7 as OwnerId, subject: keySubject(77 as AccessKeyId) };

/** A campaign that the caller may update. */
export const campaign: Campaign = {
  id: 42 as CampaignId,
  ownerId: caller.ownerId,
  isDefault: false,
  hasMirror: true,
};

/** As the store tells it; nobody in between looks at it. */
export const mirror = { id: 1, campaignId: campaign.id, clicks: 3 } as Mirror;

export function denying(...entries: readonly string[]): HostDenylist {
  const list = hostDenylist(entries);
  if ('notAHost' in list) throw new TypeError(`not a host: ${list.notAHost}`);
  return list;
}

/** Answers what it is told to, and remembers what it was asked. */
export class FakePorts implements CampaignRepository, Identity {
  readonly asked: string[] = [];
  readonly changes: { seen: Campaign; change: MirrorChange }[] = [];
  /** Nobody is known before a look-up, unless a test says so. */
  claim: Caller | undefined;
  caller: () => Promise<Caller | undefined> = async () => caller;
  found: () => Promise<Campaign | undefined> = async () => campaign;
  /** What the writes come to, one after the other; those beyond set the mirror. */
  readonly results: SetMirrorResult[] = [];
  set: () => Promise<SetMirrorResult> = async () => this.results.shift() ?? { kind: 'mirror-set', mirror };

  async claimedBy(): Promise<Caller | undefined> {
    return this.claim;
  }

  whoIs(key: string): Promise<Caller | undefined> {
    this.asked.push(`whoIs ${key}`);
    return this.caller();
  }

  find(id: CampaignId): Promise<Campaign | undefined> {
    this.asked.push(`find ${id}`);
    return this.found();
  }

  setMirror(seen: Campaign, change: MirrorChange): Promise<SetMirrorResult> {
    this.asked.push(`setMirror ${seen.id}`);
    this.changes.push({ seen, change });
    return this.set();
  }
}
