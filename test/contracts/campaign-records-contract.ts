import type { CampaignId, CampaignPage } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { named } from '../support/store/operator.ts';
import { before, type Check, newMirror, newOwner, type World } from '../support/store/world.ts';

/** What every `CampaignRecords` promises. */
export const campaignRecordsContract: readonly Check[] = [
  {
    name: 'find: every field, with the mirror and without',
    check: async (world) => {
      const owner = newOwner();
      const name = named('Summer \u{1f389}');
      const { id } = await world.settings.createCampaign({ owner, isDefault: true, name });
      const found = await world.records.find(id);
      expect(found).to.deep.equal({
        id,
        ownerId: owner,
        isDefault: true,
        name,
        createdAt: found?.createdAt,
        mirror: null,
      });
      expect(found?.createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      const mirror = await newMirror(world, id, before);
      expect(await world.records.find(id)).to.deep.equal({ ...found, mirror });
    },
  },
  {
    name: 'find: one without a name; none where there is none',
    check: async (world) => {
      const { id } = await world.settings.createCampaign({ owner: newOwner(), isDefault: false });
      expect(await world.records.find(id)).to.include({ isDefault: false, name: null });
      expect(await world.records.find(Number.MAX_SAFE_INTEGER as CampaignId)).to.equal(undefined);
    },
  },
  {
    name: 'list, listMirrors: by pages in the order of the numbers, of one owner or of all',
    check: async (world) => {
      const owner = newOwner();
      const own = await campaigns(world, owner, 5);
      const [first, second, third, fourth, fifth] = own as [
        CampaignId,
        CampaignId,
        CampaignId,
        CampaignId,
        CampaignId,
      ];
      const others = await campaigns(world, newOwner(), 2);
      for (const id of [fifth, second, third, ...others]) await newMirror(world, id, before);

      const listed = async (page: CampaignPage) => (await world.records.list(page)).map(({ id }) => id);
      expect(await listed({ owner, limit: 2 })).to.deep.equal([first, second]);
      expect(await listed({ owner, after: second, limit: 2 })).to.deep.equal([third, fourth]);
      expect(await listed({ owner, after: fourth, limit: 2 })).to.deep.equal([fifth]);
      expect(await listed({ owner, after: fifth, limit: 2 })).to.deep.equal([]);
      expect(await listed({ after: fourth, limit: 3 })).to.deep.equal([fifth, ...others]);

      const mirrored = async (page: CampaignPage) =>
        (await world.records.listMirrors(page)).map(({ campaignId }) => campaignId);
      expect(await mirrored({ owner, limit: 2 })).to.deep.equal([second, third]);
      expect(await mirrored({ owner, after: third, limit: 2 })).to.deep.equal([fifth]);
      expect(await mirrored({ after: third, limit: 3 })).to.deep.equal([fifth, ...others]);
    },
  },
  {
    name: 'list, listMirrors: what is found one by one',
    check: async (world) => {
      const owner = newOwner();
      const [id] = (await campaigns(world, owner, 1)) as [CampaignId];
      const mirror = await newMirror(world, id, before);
      expect(await world.records.list({ owner, limit: 9 })).to.deep.equal([await world.records.find(id)]);
      expect(await world.records.listMirrors({ owner, limit: 9 })).to.deep.equal([mirror]);
    },
  },
];

async function campaigns(world: World, owner = newOwner(), count = 1): Promise<CampaignId[]> {
  const made: CampaignId[] = [];
  for (let number = 0; number < count; number++) {
    made.push((await world.settings.createCampaign({ owner, isDefault: false })).id);
  }
  return made;
}
