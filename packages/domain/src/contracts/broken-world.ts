import type { CampaignRepository } from '../set-campaign-mirror/campaign-repository.ts';
import type { Mirror } from '../set-campaign-mirror/mirror.ts';
import type { CampaignRepositoryWorld, Others } from './campaign-repository-world.ts';

type World = CampaignRepositoryWorld;
export type SetMirror = CampaignRepository['setMirror'];

/** The right world but for what is broken. */
export function setting(right: World, setMirror?: SetMirror, others: Partial<Others> = {}): World {
  const { campaigns } = right;
  return {
    ...right,
    campaigns: {
      find: (id) => campaigns.find(id),
      setMirror: setMirror ?? ((seen, change) => campaigns.setMirror(seen, change)),
    },
    others: { ...right.others, ...others },
  };
}

export function finding(right: World, find: CampaignRepository['find']): World {
  return { ...right, campaigns: { ...setting(right).campaigns, find } };
}

export function storedAs({ others }: World, asBroken: (mirror: Mirror) => Mirror): Others['mirror'] {
  return async (campaign) => {
    const mirror = await others.mirror(campaign);
    return mirror && asBroken(mirror);
  };
}
