import type { Case } from '../contracts/case.ts';
import { expectEqual, expectFields } from '../contracts/expectations.ts';
import { before, newOwner } from '../contracts/live-campaign.ts';
import type { CampaignPage } from '../operator/campaign-record.ts';
import type { CampaignId, OwnerId } from '../values/identifiers.ts';
import { timestamp } from '../values/timestamp.ts';
import { named, newCampaign, newMirror, nowhere } from './live-store.ts';
import type { StoreWorld } from './store-world.ts';

/** What every `CampaignRecords` promises. */
export const campaignRecordsCases: readonly Case<StoreWorld>[] = [
  {
    name: 'find: every field, with the mirror and without',
    run: async (world) => {
      const owner = newOwner();
      const name = named('Summer \u{1f389}');
      const { id } = await world.settings.createCampaign({ owner, isDefault: true, name });
      const found = await world.records.find(id);
      const createdAt = found?.createdAt;
      expectEqual(found, { id, ownerId: owner, isDefault: true, name, createdAt, mirror: null });
      expectEqual(timestamp(createdAt ?? ''), createdAt);
      const mirror = await newMirror(world, id, before);
      expectEqual(await world.records.find(id), { ...found, mirror });
    },
  },
  {
    name: 'find: one without a name; none where there is none',
    run: async (world) => {
      const { id } = await newCampaign(world);
      expectFields(await world.records.find(id), { isDefault: false, name: null });
      expectEqual(await world.records.find(nowhere), undefined);
    },
  },
  {
    name: 'list, listMirrors: by pages in the order of the numbers, of one owner or of all',
    run: async (world) => {
      const owner = newOwner();
      const [first, second, third, fourth, fifth] = (await campaigns(world, owner, 5)) as Five;
      const others = await campaigns(world, newOwner(), 2);
      for (const id of [fifth, second, third, ...others]) await newMirror(world, id, before);

      const listed = async (page: CampaignPage) => (await world.records.list(page)).map(({ id }) => id);
      expectEqual(await listed({ owner, limit: 2 }), [first, second]);
      expectEqual(await listed({ owner, after: second, limit: 2 }), [third, fourth]);
      expectEqual(await listed({ owner, after: fourth, limit: 2 }), [fifth]);
      expectEqual(await listed({ owner, after: fifth, limit: 2 }), []);
      expectEqual(await listed({ after: fourth, limit: 3 }), [fifth, ...others]);

      const mirrored = async (page: CampaignPage) =>
        (await world.records.listMirrors(page)).map(({ campaignId }) => campaignId);
      expectEqual(await mirrored({ owner, limit: 2 }), [second, third]);
      expectEqual(await mirrored({ owner, after: third, limit: 2 }), [fifth]);
      expectEqual(await mirrored({ after: third, limit: 3 }), [fifth, ...others]);
    },
  },
  {
    name: 'list, listMirrors: what is found one by one',
    run: async (world) => {
      const { id, ownerId: owner } = await newCampaign(world);
      const mirror = await newMirror(world, id, before);
      expectEqual(await world.records.list({ owner, limit: 9 }), [await world.records.find(id)]);
      expectEqual(await world.records.listMirrors({ owner, limit: 9 }), [mirror]);
    },
  },
];

type Five = [CampaignId, CampaignId, CampaignId, CampaignId, CampaignId];

async function campaigns(world: StoreWorld, owner: OwnerId, count: number): Promise<CampaignId[]> {
  const made: CampaignId[] = [];
  for (let number = 0; number < count; number++) made.push((await newCampaign(world, owner)).id);
  return made;
}
