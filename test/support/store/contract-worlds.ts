import { type AccessKeyId, accessKeyFrom, keySubject, type OwnerId } from '@campaign-mirror/domain';
import type { CampaignRepositoryWorld, IdentityWorld } from '@campaign-mirror/domain/contracts';
import { accessKeyBytes } from '../../../packages/domain/src/values/access-key.ts';
import { named } from './operator.ts';
import { newCampaign, newMirror, type World } from './world.ts';

/** In seconds. */
const hour = 3_600;

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
export function identityWorldOf({ identity, accessKeys, others }: World): IdentityWorld {
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
