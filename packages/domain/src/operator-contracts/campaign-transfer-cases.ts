import type { Case } from '../contracts/case.ts';
import { expectEqual, expectFields, expectThat } from '../contracts/expectations.ts';
import { newOwner } from '../contracts/live-campaign.ts';
import { named, newCampaign, nowhere } from './live-store.ts';
import type { StoreWorld } from './store-world.ts';

/** Another owner, another default flag. */
export const campaignTransferCases: readonly Case<StoreWorld>[] = [
  {
    name: 'transfer: from then on it is the other owner’s; all else stays',
    run: async (world) => {
      const campaign = await newCampaign(world, newOwner(), true);
      const to = newOwner();
      const done = await world.settings.transfer(campaign.id, to);
      expectEqual(done, { kind: 'transferred', from: campaign.ownerId });
      expectEqual(await world.campaigns.find(campaign.id), { ...campaign, ownerId: to });
    },
  },
  {
    name: 'transfer: to its present owner, or of a campaign that does not exist: nothing is done',
    run: async (world) => {
      const campaign = await newCampaign(world, newOwner(), true);
      const { id, ownerId } = campaign;
      expectEqual(await world.settings.transfer(id, ownerId), { kind: 'unchanged' });
      expectEqual(await world.settings.transfer(nowhere, ownerId), { kind: 'campaign-not-found' });
      expectEqual(await world.campaigns.find(id), campaign);
    },
  },
  {
    name: 'transfer: contract: default campaign — not of one to an owner who has one, which is returned',
    run: async (world) => {
      const owner = newOwner();
      const name = named('theirs');
      const { id } = await world.settings.createCampaign({ owner, isDefault: true, name });
      const campaign = await newCampaign(world, newOwner(), true);
      const done = await world.settings.transfer(campaign.id, owner);
      expectEqual(done, { kind: 'owner-has-default', ownerId: owner, id, name });
      expectEqual(await world.campaigns.find(campaign.id), campaign);
      const ordinary = await newCampaign(world);
      expectFields(await world.settings.transfer(ordinary.id, owner), { kind: 'transferred' });
    },
  },
  {
    name: 'setDefault: there and back; a second time it is unchanged',
    run: async (world) => {
      const { id, ownerId } = await newCampaign(world);
      for (const isDefault of [true, false]) {
        const change = () => world.settings.setDefault(id, isDefault);
        expectEqual(await change(), { kind: 'changed', ownerId });
        expectEqual(await change(), { kind: 'unchanged', ownerId });
        expectEqual((await world.campaigns.find(id))?.isDefault, isDefault);
      }
      expectEqual(await world.settings.setDefault(nowhere, true), { kind: 'campaign-not-found' });
    },
  },
  {
    name: 'setDefault: contract: default campaign — an owner has at most one, which is returned',
    run: async (world) => {
      const owner = newOwner();
      const first = await newCampaign(world, owner, true);
      const second = await newCampaign(world, owner);
      const set = () => world.settings.setDefault(second.id, true);
      expectEqual(await set(), { kind: 'owner-has-default', ownerId: owner, id: first.id, name: null });
      expectEqual(await world.campaigns.find(second.id), second);
      await world.settings.setDefault(first.id, false);
      expectEqual(await set(), { kind: 'changed', ownerId: owner });
    },
  },
  {
    name: 'setDefault, transfer, createCampaign: of ten that race to be the default campaign, one is',
    run: async (world) => {
      const owner = newOwner();
      const four = Array.from({ length: 4 });
      const own = await Promise.all(four.map(() => newCampaign(world, owner)));
      const others = await Promise.all(four.map(() => newCampaign(world, newOwner(), true)));
      const done = await Promise.all([
        ...own.map(({ id }) => world.settings.setDefault(id, true)),
        ...others.map(({ id }) => world.settings.transfer(id, owner)),
        world.settings.createCampaign({ owner, isDefault: true }),
        world.settings.createCampaign({ owner, isDefault: true }),
      ]);
      const refused = done.filter((one) => one.kind === 'owner-has-default');
      expectEqual(refused.length, 9, 'the number of refusals');
      const [first] = refused;
      expectThat(first?.kind === 'owner-has-default', 'a refusal');
      for (const one of refused) expectEqual(one, first);
      expectFields(await world.campaigns.find(first.id), { ownerId: owner, isDefault: true });
    },
  },
];
