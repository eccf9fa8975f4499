import { type AccessKeyId, accessKeyFrom, keySubject, type OwnerId } from '@campaign-mirror/domain';
import {
  type CampaignRepositoryWorld,
  type Case,
  campaignRepositoryCases,
  type IdentityWorld,
  identityCases,
} from '@campaign-mirror/domain/contracts';
import { accessKeyBytes } from '../../../packages/domain/src/values/access-key.ts';
import { named } from './operator.ts';
import { newCampaign, newMirror, type World } from './world.ts';

/** In seconds. */
const hour = 3_600;

/** A test for each promise of the ports of the use case, on the world that there is when it runs. */
export function everyCase(
  worlds: () => { campaigns: CampaignRepositoryWorld; identity: IdentityWorld },
): void {
  casesOf('CampaignRepository', campaignRepositoryCases, () => worlds().campaigns);
  casesOf('Identity', identityCases, () => worlds().identity);
}

/** The same on a store with all ports. Our worlds have every part that a case can need, so that none is left out. */
export function everyCaseOn(world: () => World): void {
  everyCase(() => ({
    campaigns: campaignRepositoryWorldOf(world()),
    identity: identityWorldOf(world()),
  }));
}

function casesOf<World>(port: string, cases: readonly Case<World>[], world: () => World): void {
  describe(port, () => {
    for (const { name, run } of cases) it(name, () => run(world()));
  });
}

/** The world of the campaigns of a store that has all ports. */
export function campaignRepositoryWorldOf(store: World): CampaignRepositoryWorld {
  const { campaigns, accessKeys, others } = store;
  return {
    campaigns,
    others: {
      ...others,
      createCampaign: async (owner, isDefault) => (await newCampaign(store, owner, isDefault)).id,
      createMirror: (campaign, address) => newMirror(store, campaign, address),
    },
    keys: {
      issue: async (owner) => (await accessKeys.issue({ owner, name: named('tests'), expiresIn: hour })).id,
      revoke: (key) => accessKeys.revoke(key),
      expire: others.expireKey,
      delete: others.deleteKey,
      give: others.giveKey,
    },
  };
}

/** The world of the identity of a store that has all ports, by access keys. */
function identityWorldOf({ identity, accessKeys, others }: World): IdentityWorld {
  const issued = new Map<string, AccessKeyId>();
  const issue = async (ownerId: OwnerId, expiresIn: number | 'never') => {
    const { id, key } = await accessKeys.issue({ owner: ownerId, name: named('tests'), expiresIn });
    issued.set(key, id);
    return { credential: key, caller: { ownerId, subject: keySubject(id) } };
  };
  const idOf = (key: string) => issued.get(key) as AccessKeyId;
  return {
    identity,
    issue: (owner, expires) => issue(owner, expires ?? hour),
    unknown: () => accessKeyFrom(new Uint8Array(accessKeyBytes)),
    issueExpired: async (owner) => (await issue(owner, 0)).credential,
    expire: (key) => others.expireKey(idOf(key)),
    revoke: (key) => accessKeys.revoke(idOf(key)),
    forget: (key) => others.deleteKey(idOf(key)),
    claims: true,
  };
}
