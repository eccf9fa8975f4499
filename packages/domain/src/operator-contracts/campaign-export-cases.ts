import type { Case } from '../contracts/case.ts';
import { expectAscending, expectEqual, expectFields } from '../contracts/expectations.ts';
import { newOwner } from '../contracts/live-campaign.ts';
import type { CampaignRecord } from '../operator/campaign-record.ts';
import type { CampaignId } from '../values/identifiers.ts';
import { linesOf } from './import-line-cases.ts';
import { liveCampaign, newCampaign } from './live-store.ts';
import type { StoreWorld } from './store-world.ts';

async function exported({ exports }: StoreWorld): Promise<CampaignRecord[]> {
  const all: CampaignRecord[] = [];
  for await (const campaign of exports.all()) all.push(campaign);
  return all;
}

/** What every `CampaignExport` promises. */
export const campaignExportCases: readonly Case<StoreWorld>[] = [
  {
    name: 'all: every campaign as its record shows it, with a mirror or without, in the order of their numbers',
    run: async (world) => {
      const live = await liveCampaign(world, true);
      const bare = await newCampaign(world);
      const all = await exported(world);
      expectAscending(all.map(({ id }) => id));
      const one = (id: CampaignId) => all.find((campaign) => campaign.id === id);
      for (const id of [live.seen.id, bare.id]) expectEqual(one(id), await world.records.find(id));
      expectFields(one(bare.id), { mirror: null, name: null });
    },
  },
  {
    name: 'all: as they were at one moment, whatever happens to them while they are read',
    run: async (world) => {
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
      expectEqual(
        numbers,
        many.map((_, at) => (numbers[0] ?? 0) + at),
      );
    },
  },
  {
    name: 'all: a reader that stops early blocks nobody',
    run: async (world) => {
      const { seen } = await liveCampaign(world);
      for (let times = 0; times < 5; times++) {
        for await (const _ of world.exports.all()) break;
      }
      await world.others.deleteCampaign(seen.id);
      const left = (await exported(world)).filter(({ id }) => id === seen.id);
      expectEqual(left, []);
    },
  },
];
