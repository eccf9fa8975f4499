import type { Case } from '../contracts/case.ts';
import { expectEqual, expectFields, expectThat } from '../contracts/expectations.ts';
import { address, after, before, newOwner } from '../contracts/live-campaign.ts';
import { timestamp } from '../values/timestamp.ts';
import { liveCampaign, named, newCampaign, newMirror, nowhere } from './live-store.ts';
import type { StoreWorld } from './store-world.ts';

/** Campaigns and mirrors that are created. */
export const campaignSettingsCases: readonly Case<StoreWorld>[] = [
  {
    name: 'createCampaign: as it was asked for, under a number of its own',
    run: async (world) => {
      const owner = newOwner();
      const first = await newCampaign(world, owner);
      const second = await newCampaign(world, owner);
      expectThat(first.id !== second.id, 'two numbers');
      expectEqual(await world.campaigns.find(first.id), first);
      expectEqual(await world.campaigns.find(second.id), second);
    },
  },
  {
    name: 'createCampaign: contract: default campaign — an owner has at most one, which is returned',
    run: async (world) => {
      const owner = newOwner();
      await newCampaign(world, owner);
      const name = named('first');
      const { id } = await world.settings.createCampaign({ owner, isDefault: true, name });
      const second = await world.settings.createCampaign({ owner, isDefault: true, name: named('second') });
      expectEqual(second, { kind: 'owner-has-default', ownerId: owner, id, name });
      const created = { kind: 'created' };
      expectFields(await world.settings.createCampaign({ owner, isDefault: false }), created);
      expectFields(await world.settings.createCampaign({ owner: newOwner(), isDefault: true }), created);
    },
  },
  {
    name: 'createMirror: contract: time — never updated externally, without clicks; the address byte for byte',
    run: async (world) => {
      const { id } = await newCampaign(world);
      const odd = address('HTTPS://B\u00dcCHER.example/{id}?a=?&b=$1&c=[x]|%7e&d=\'"\u{1f389}');
      const mirror = await newMirror(world, id, odd);
      expectEqual(mirror, {
        id: mirror.id,
        campaignId: id,
        targetUrl: odd,
        clicks: 0,
        updatedExternally: false,
        updatedExternallyAt: null,
        createdAt: mirror.createdAt,
        updatedAt: mirror.createdAt,
      });
      expectEqual(timestamp(mirror.createdAt), mirror.createdAt);
      expectEqual(await world.others.mirror(id), mirror);
      expectEqual(await world.others.history(id), []);
    },
  },
  {
    name: 'createMirror: a campaign has one, which stays as it is; none for a campaign that does not exist',
    run: async (world) => {
      const { seen, mirror } = await liveCampaign(world);
      expectEqual(await world.settings.createMirror(seen.id, after), { kind: 'mirror-exists' });
      expectEqual(await world.others.mirror(seen.id), mirror);
      expectEqual(await world.settings.createMirror(nowhere, after), { kind: 'campaign-not-found' });
    },
  },
  {
    name: 'createMirror: of ten that race, one is created',
    run: async (world) => {
      const { id } = await newCampaign(world);
      const create = () => world.settings.createMirror(id, before);
      const kinds = (await Promise.all(Array.from({ length: 10 }, create))).map(({ kind }) => kind);
      expectEqual(kinds.toSorted(), ['created', ...Array.from({ length: 9 }, () => 'mirror-exists')]);
    },
  },
];
