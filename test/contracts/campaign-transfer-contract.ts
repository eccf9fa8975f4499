import type { CampaignId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { named } from '../support/store/operator.ts';
import { type Check, newCampaign, newOwner } from '../support/store/world.ts';

const nowhere = Number.MAX_SAFE_INTEGER as CampaignId;

/** Another owner, another flag. */
export const campaignTransferChecks: readonly Check[] = [
  {
    name: 'transfer: from then on it is the other owner’s; all else stays',
    check: async (world) => {
      const campaign = await newCampaign(world, newOwner(), true);
      const to = newOwner();
      const done = await world.settings.transfer(campaign.id, to);
      expect(done).to.deep.equal({ kind: 'transferred', from: campaign.ownerId });
      expect(await world.campaigns.find(campaign.id)).to.deep.equal({ ...campaign, ownerId: to });
    },
  },
  {
    name: 'transfer: to the owner whose it is, and of a campaign that there is not: nothing is done',
    check: async (world) => {
      const campaign = await newCampaign(world, newOwner(), true);
      const { id, ownerId } = campaign;
      expect(await world.settings.transfer(id, ownerId)).to.deep.equal({ kind: 'unchanged' });
      expect(await world.settings.transfer(nowhere, ownerId)).to.deep.equal({ kind: 'campaign-not-found' });
      expect(await world.campaigns.find(id)).to.deep.equal(campaign);
    },
  },
  {
    name: 'transfer: contract: default campaign — not of one to an owner who has one; that one is told',
    check: async (world) => {
      const owner = newOwner();
      const name = named('theirs');
      const { id } = await world.settings.createCampaign({ owner, isDefault: true, name });
      const campaign = await newCampaign(world, newOwner(), true);
      const done = await world.settings.transfer(campaign.id, owner);
      expect(done).to.deep.equal({ kind: 'owner-has-default', ownerId: owner, id, name });
      expect(await world.campaigns.find(campaign.id)).to.deep.equal(campaign);
      const ordinary = await newCampaign(world);
      expect(await world.settings.transfer(ordinary.id, owner)).to.have.property('kind', 'transferred');
    },
  },
  {
    name: 'setDefault: there and back; a second time it is unchanged',
    check: async (world) => {
      const { id, ownerId } = await newCampaign(world);
      for (const isDefault of [true, false]) {
        const change = () => world.settings.setDefault(id, isDefault);
        expect(await change()).to.deep.equal({ kind: 'changed', ownerId });
        expect(await change()).to.deep.equal({ kind: 'unchanged', ownerId });
        expect(await world.campaigns.find(id)).to.have.property('isDefault', isDefault);
      }
      const done = await world.settings.setDefault(nowhere, true);
      expect(done).to.deep.equal({ kind: 'campaign-not-found' });
    },
  },
  {
    name: 'setDefault: contract: default campaign — an owner has at most one; which one is told',
    check: async (world) => {
      const owner = newOwner();
      const first = await newCampaign(world, owner, true);
      const second = await newCampaign(world, owner);
      const set = () => world.settings.setDefault(second.id, true);
      const taken = { kind: 'owner-has-default', ownerId: owner, id: first.id, name: null };
      expect(await set()).to.deep.equal(taken);
      expect(await world.campaigns.find(second.id)).to.deep.equal(second);
      await world.settings.setDefault(first.id, false);
      expect(await set()).to.deep.equal({ kind: 'changed', ownerId: owner });
    },
  },
  {
    name: 'setDefault, transfer, createCampaign: of ten that race to be the default campaign, one is',
    check: async (world) => {
      const owner = newOwner();
      const own = await Promise.all(Array.from({ length: 4 }, () => newCampaign(world, owner)));
      const others = await Promise.all(Array.from({ length: 4 }, () => newCampaign(world, newOwner(), true)));
      const done = await Promise.all([
        ...own.map(({ id }) => world.settings.setDefault(id, true)),
        ...others.map(({ id }) => world.settings.transfer(id, owner)),
        world.settings.createCampaign({ owner, isDefault: true }),
        world.settings.createCampaign({ owner, isDefault: true }),
      ]);
      const refused = done.filter((one) => one.kind === 'owner-has-default');
      expect(refused).to.have.length(9);
      const [first] = refused;
      if (first?.kind !== 'owner-has-default') throw new Error('nobody was refused');
      for (const one of refused) expect(one).to.deep.equal(first);
      expect(await world.campaigns.find(first.id)).to.include({ ownerId: owner, isDefault: true });
    },
  },
];
