import type { CampaignId, OwnerId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { type Check, liveCampaign, newCampaign, newOwner } from '../support/store/world.ts';

export const findChecks: readonly Check[] = [
  {
    name: 'find: a campaign with a mirror, as it is now',
    check: async (world) => {
      const { seen } = await liveCampaign(world);
      expect(await world.campaigns.find(seen.id)).to.deep.equal(seen);
      const to = newOwner();
      await world.others.transfer(seen.id, to);
      await world.others.deleteMirror(seen.id);
      expect(await world.campaigns.find(seen.id)).to.deep.equal({ ...seen, ownerId: to, hasMirror: false });
    },
  },
  {
    name: 'find: a default campaign, and one without a mirror',
    check: async (world) => {
      const campaign = await newCampaign(world, newOwner(), true);
      expect(await world.campaigns.find(campaign.id)).to.deep.equal(campaign);
    },
  },
  {
    name: 'find: nothing for a campaign that there never was, or is no longer',
    check: async (world) => {
      const { seen } = await liveCampaign(world);
      await world.others.deleteCampaign(seen.id);
      expect(await world.campaigns.find(seen.id)).to.equal(undefined);
      expect(await world.campaigns.find(Number.MAX_SAFE_INTEGER as CampaignId)).to.equal(undefined);
    },
  },
  {
    name: 'find: an owner may be as great as 2^53-1',
    check: async (world) => {
      const { seen } = await liveCampaign(world);
      const greatest = Number.MAX_SAFE_INTEGER as OwnerId;
      await world.others.transfer(seen.id, greatest);
      expect((await world.campaigns.find(seen.id))?.ownerId).to.equal(greatest);
    },
  },
];
