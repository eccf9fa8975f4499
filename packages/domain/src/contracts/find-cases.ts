import type { CampaignId, OwnerId } from '../values/identifiers.ts';
import type { CampaignRepositoryWorld } from './campaign-repository-world.ts';
import type { Case } from './case.ts';
import { expectEqual } from './expectations.ts';
import { liveCampaign, newCampaign, newOwner } from './live-campaign.ts';

const greatest = Number.MAX_SAFE_INTEGER;

export const findCases: readonly Case<CampaignRepositoryWorld>[] = [
  {
    name: 'find: a campaign with a mirror, as it is now',
    run: async (world) => {
      const { seen } = await liveCampaign(world);
      expectEqual(await world.campaigns.find(seen.id), seen);
      const to = newOwner();
      await world.others.transfer(seen.id, to);
      await world.others.deleteMirror(seen.id);
      expectEqual(await world.campaigns.find(seen.id), { ...seen, ownerId: to, hasMirror: false });
    },
  },
  {
    name: 'find: a default campaign, and one without a mirror',
    run: async (world) => {
      const campaign = await newCampaign(world, newOwner(), true);
      expectEqual(await world.campaigns.find(campaign.id), campaign);
    },
  },
  {
    name: 'find: nothing for a campaign that never existed or was deleted',
    run: async (world) => {
      const { seen } = await liveCampaign(world);
      await world.others.deleteCampaign(seen.id);
      expectEqual(await world.campaigns.find(seen.id), undefined);
      expectEqual(await world.campaigns.find(greatest as CampaignId), undefined);
    },
  },
  {
    name: 'find: an owner may be as great as 2^53-1',
    run: async (world) => {
      const { seen } = await liveCampaign(world);
      await world.others.transfer(seen.id, greatest as OwnerId);
      expectEqual((await world.campaigns.find(seen.id))?.ownerId, greatest);
    },
  },
];
