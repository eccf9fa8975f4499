import type { CampaignId, CampaignRecord } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { type Check, liveCampaign, newCampaign, newOwner, type World } from '../support/store/world.ts';
import { linesOf } from './campaign-import-contract.ts';

async function exported({ exports }: World): Promise<CampaignRecord[]> {
  const all: CampaignRecord[] = [];
  for await (const campaign of exports.all()) all.push(campaign);
  return all;
}

/** What every `CampaignExport` promises. */
export const campaignExportContract: readonly Check[] = [
  {
    name: 'all: every campaign as its record shows it, with a mirror or without, in the order of their numbers',
    check: async (world) => {
      const live = await liveCampaign(world, true);
      const bare = await newCampaign(world, newOwner());
      const all = await exported(world);
      const numbers = all.map(({ id }) => id);
      expect(numbers).to.deep.equal([...numbers].sort((one, other) => one - other));
      for (const id of [live.seen.id, bare.id]) {
        expect(all.find((one) => one.id === id)).to.deep.equal(await world.records.find(id));
      }
      expect(all.find(({ id }) => id === bare.id)).to.include({ mirror: null, name: null });
    },
  },
  {
    name: 'all: as they were at one moment, whatever becomes of them while they are taken',
    check: async (world) => {
      const owner = newOwner();
      const many = Array.from({ length: 1_500 }, () => ({ owner_id: String(owner) }));
      await world.imports.importAll('many.csv', linesOf(...many), async () => {});
      const numbers: CampaignId[] = [];
      for await (const { id, ownerId } of world.exports.all()) {
        if (ownerId !== owner) continue;
        if (numbers.push(id) > 1) continue;
        await world.others.deleteCampaign((id + many.length - 1) as CampaignId);
        await newCampaign(world, owner);
      }
      expect(numbers).to.deep.equal(many.map((_, at) => (numbers[0] ?? 0) + at));
    },
  },
  {
    name: 'all: who takes no more holds nobody up',
    check: async (world) => {
      const { seen } = await liveCampaign(world);
      for (let times = 0; times < 5; times++) {
        for await (const _ of world.exports.all()) break;
      }
      await world.others.deleteCampaign(seen.id);
      expect((await exported(world)).some(({ id }) => id === seen.id)).to.equal(false);
    },
  },
];
