import {
  type AccessKey,
  type AccessKeyId,
  type AccessKeys,
  accessKeyFrom,
  type CampaignRepository,
  type CampaignSettings,
  type Identity,
  keySubject,
  type OwnerId,
} from '@campaign-mirror/domain';
import {
  type CampaignRepositoryWorld,
  type Case,
  campaignRepositoryCases,
  type IdentityWorld,
  identityCases,
} from '@campaign-mirror/domain/contracts';
import { accessKeyBytes } from '../../../packages/domain/src/values/access-key.ts';
import type { StoreOthers } from './postgres-world.ts';
import { named, newCampaign, newMirror } from './world.ts';

/** What a store has to have, so that no case is left out. */
export interface JudgedStore {
  readonly campaigns: CampaignRepository;
  readonly identity: Identity;
  readonly settings: Pick<CampaignSettings, 'createCampaign' | 'createMirror'>;
  readonly accessKeys: {
    issue(terms: Parameters<AccessKeys['issue']>[0]): Promise<{ id: AccessKeyId; key: AccessKey }>;
    revoke(id: AccessKeyId): Promise<unknown>;
  };
  readonly others: StoreOthers;
}

/** A test for each promise of the ports of the use case, on the store that there is when it runs. */
export function everyCaseOn(store: () => JudgedStore): void {
  casesOf('CampaignRepository', campaignRepositoryCases, () => worldsOf(store()).campaigns);
  casesOf('Identity', identityCases, () => worldsOf(store()).identity);
}

function casesOf<World>(port: string, cases: readonly Case<World>[], world: () => World): void {
  describe(port, () => {
    for (const { name, run } of cases) it(name, () => run(world()));
  });
}

/** In seconds. */
const hour = 3_600;

export function worldsOf({ campaigns, identity, accessKeys, others, settings }: JudgedStore): {
  campaigns: CampaignRepositoryWorld;
  identity: IdentityWorld;
} {
  const issued = new Map<string, AccessKeyId>();
  const issue = async (owner: OwnerId, expiresIn: number | 'never') => {
    const { id, key } = await accessKeys.issue({ owner, name: named('tests'), expiresIn });
    issued.set(key, id);
    return { id, credential: key, caller: { ownerId: owner, subject: keySubject(id) } };
  };
  const idOf = (key: string) => issued.get(key) as AccessKeyId;
  return {
    campaigns: {
      campaigns,
      others: {
        ...others,
        createCampaign: async (owner, isDefault) => (await newCampaign({ settings }, owner, isDefault)).id,
        createMirror: (campaign, address) => newMirror({ settings }, campaign, address),
      },
      keys: {
        issue: async (owner) => (await issue(owner, hour)).id,
        revoke: (key) => accessKeys.revoke(key),
        expire: others.expireKey,
        delete: others.deleteKey,
        give: others.giveKey,
      },
    },
    identity: {
      identity,
      issue: (owner, expires) => issue(owner, expires ?? hour),
      unknown: () => accessKeyFrom(new Uint8Array(accessKeyBytes)),
      issueExpired: async (owner) => (await issue(owner, 0)).credential,
      expire: (key) => others.expireKey(idOf(key)),
      revoke: (key) => accessKeys.revoke(idOf(key)),
      forget: (key) => others.deleteKey(idOf(key)),
      claims: true,
    },
  };
}
