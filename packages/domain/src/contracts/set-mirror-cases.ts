import { type Timestamp, timestamp } from '../values/timestamp.ts';
import type { CampaignRepositoryWorld } from './campaign-repository-world.ts';
import type { Case } from './case.ts';
import { expectAscending, expectEqual, expectFields, expectThat } from './expectations.ts';
import {
  address,
  after,
  before,
  change,
  liveCampaign,
  mirrorSet,
  newCampaign,
  newMirror,
} from './live-campaign.ts';

/** Texts that a store could change: by a placeholder, an escape, a normal form, a parser. */
const addresses = [
  'https://example.com',
  'HTTP://Example.COM:80/%7Euser/%7euser/../a//b?',
  'https://t.example/{click_id}?s=[sub]|x&a=$1&b=?&c=:d&e=%s&f={0}&g=??',
  'https://example.com/?q=%27%22\'"`;--',
  'https://b\u00fccher.example/stra\u00dfe?caf\u00e9=cafe\u0301#\u65e5\u672c\u8a9e\u{1f389}',
  `https://example.com/${'\u{1f389}'.repeat(2028)}`,
];

export const setMirrorCases: readonly Case<CampaignRepositoryWorld>[] = [
  {
    name: 'setMirror: the answer is the mirror as it is stored, of the eight fields of the contract',
    run: async (world) => {
      const { seen, by, mirror } = await liveCampaign(world);
      await world.others.countClick(seen.id);
      const set = await mirrorSet(world, seen, change(by));
      expectEqual(set, {
        id: mirror.id,
        campaignId: seen.id,
        targetUrl: after,
        clicks: 1,
        updatedExternally: true,
        updatedExternallyAt: set.updatedExternallyAt,
        createdAt: mirror.createdAt,
        updatedAt: set.updatedAt,
      });
      expectEqual(await world.others.mirror(seen.id), set, 'the stored mirror');
    },
  },
  {
    name: 'setMirror: clicks are never written',
    run: async (world) => {
      const { seen, by } = await liveCampaign(world);
      for (let clicks = 1; clicks <= 3; clicks++) {
        await world.others.countClick(seen.id);
        expectFields(await mirrorSet(world, seen, change(by)), { clicks });
        expectFields(await world.others.mirror(seen.id), { clicks });
      }
    },
  },
  {
    name: 'setMirror: no other campaign, of the same owner or another, is changed',
    run: async (world) => {
      const { seen, by } = await liveCampaign(world);
      const sister = await newCampaign(world, seen.ownerId);
      const others = [
        await newMirror(world, sister.id, before),
        await newMirror(world, (await newCampaign(world)).id, before),
      ];
      await mirrorSet(world, seen, change(by));
      for (const other of others) {
        expectEqual(await world.others.mirror(other.campaignId), other);
        expectEqual(await world.others.history(other.campaignId), []);
      }
    },
  },
  {
    name: 'setMirror: the address is kept byte for byte, in the mirror and in the history',
    run: async (world) => {
      const { seen, by } = await liveCampaign(world);
      for (const text of addresses) {
        expectEqual((await mirrorSet(world, seen, change(by, address(text)))).targetUrl, text);
        expectEqual((await world.others.mirror(seen.id))?.targetUrl, text);
      }
      const history = await world.others.history(seen.id);
      expectEqual(
        history.map((row) => row.addressAfter),
        addresses,
      );
      expectEqual(
        history.map((row) => row.addressBefore),
        [before, ...addresses.slice(0, -1)],
      );
    },
  },
  {
    name: "setMirror: both times are that of the write, by the store's clock, to the microsecond",
    run: async (world) => {
      const clock = world.others.clock ?? (async () => new Date().toISOString());
      const { seen, by } = await liveCampaign(world);
      const earliest = await clock();
      const set = await mirrorSet(world, seen, change(by));
      const latest = await clock();
      expectEqual(timestamp(set.updatedAt), set.updatedAt);
      expectEqual(timestamp(set.createdAt), set.createdAt);
      expectEqual(set.updatedExternallyAt, set.updatedAt);
      // A clock of milliseconds stands still in between, and a microsecond is added to it.
      expectAscending([earliest, set.updatedAt, latest].map((time) => time.slice(0, 23)));
    },
  },
  {
    name: 'setMirror: updated_at strictly rises, also while the clock is behind it',
    run: async (world) => {
      const { seen, by } = await liveCampaign(world);
      await world.others.setUpdatedAt(seen.id, '2199-12-31T23:59:59.999998Z' as Timestamp);
      const times: unknown[] = [];
      for (let time = 0; time < 3; time++) times.push((await mirrorSet(world, seen, change(by))).updatedAt);
      expectEqual(times, [
        '2199-12-31T23:59:59.999999Z',
        '2200-01-01T00:00:00.000000Z',
        '2200-01-01T00:00:00.000001Z',
      ]);
    },
  },
  {
    name: 'setMirror: the address that it already has is an update like any other',
    run: async (world) => {
      const { seen, by, mirror } = await liveCampaign(world);
      const set = await mirrorSet(world, seen, change(by, before));
      expectFields(set, { targetUrl: before, updatedExternally: true });
      expectThat(set.updatedAt > mirror.updatedAt, `a later time than ${mirror.updatedAt}: ${set.updatedAt}`);
      const [row] = await world.others.history(seen.id);
      expectFields(row, { addressBefore: before, addressAfter: before, changedAt: set.updatedAt });
    },
  },
];
