import type { Timestamp } from '@campaign-mirror/domain';
import { expect } from 'chai';
import {
  address,
  after,
  before,
  type Check,
  change,
  liveCampaign,
  mirrorSet,
  newCampaign,
  newMirror,
} from '../support/store/world.ts';

const microseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Texts that a store may be tempted to change: by a placeholder, an escape, a normal form, a parser. */
const addresses = [
  'https://example.com',
  'HTTP://Example.COM:80/%7Euser/%7euser/../a//b?',
  'https://t.example/{click_id}?s=[sub]|x&a=$1&b=?&c=:d&e=%s&f={0}&g=??',
  'https://example.com/?q=%27%22\'"`;--',
  'https://b\u00fccher.example/stra\u00dfe?caf\u00e9=cafe\u0301#\u65e5\u672c\u8a9e\u{1f389}',
  `https://example.com/${'\u{1f389}'.repeat(2028)}`,
];

export const setMirrorChecks: readonly Check[] = [
  {
    name: 'setMirror: the answer is the mirror as it is stored, of the eight fields of the contract',
    check: async (world) => {
      const { seen, by, mirror } = await liveCampaign(world);
      await world.others.countClick(seen.id);
      const set = await mirrorSet(world, seen, change(by));
      expect(set).to.have.all.keys(
        'id',
        'campaignId',
        'targetUrl',
        'clicks',
        'updatedExternally',
        'updatedExternallyAt',
        'createdAt',
        'updatedAt',
      );
      expect(set).to.include({
        id: mirror.id,
        campaignId: seen.id,
        targetUrl: after,
        updatedExternally: true,
        createdAt: mirror.createdAt,
      });
      expect(await world.others.mirror(seen.id)).to.deep.equal(set);
    },
  },
  {
    name: 'setMirror: clicks are never written',
    check: async (world) => {
      const { seen, by } = await liveCampaign(world);
      for (let clicks = 1; clicks <= 3; clicks++) {
        await world.others.countClick(seen.id);
        expect(await mirrorSet(world, seen, change(by))).to.include({ clicks });
        expect(await world.others.mirror(seen.id)).to.include({ clicks });
      }
    },
  },
  {
    name: 'setMirror: no other campaign, of the same owner or not, is touched',
    check: async (world) => {
      const { seen, by } = await liveCampaign(world);
      const sister = await newCampaign(world, seen.ownerId);
      const others = [
        await newMirror(world, sister.id, before),
        await newMirror(world, (await newCampaign(world)).id, before),
      ];
      await mirrorSet(world, seen, change(by));
      for (const other of others) {
        expect(await world.others.mirror(other.campaignId)).to.deep.equal(other);
        expect(await world.others.history(other.campaignId)).to.deep.equal([]);
      }
    },
  },
  {
    name: 'setMirror: the address is kept byte for byte, here and in the history',
    check: async (world) => {
      const { seen, by } = await liveCampaign(world);
      for (const text of addresses) {
        expect((await mirrorSet(world, seen, change(by, address(text))))?.targetUrl).to.equal(text);
        expect((await world.others.mirror(seen.id))?.targetUrl).to.equal(text);
      }
      const history = await world.others.history(seen.id);
      expect(history.map((row) => row.addressAfter)).to.deep.equal(addresses);
      expect(history.map((row) => row.addressBefore)).to.deep.equal([before, ...addresses.slice(0, -1)]);
    },
  },
  {
    name: "setMirror: both times are that of the write, by the store's clock, to the microsecond",
    check: async (world) => {
      const { seen, by } = await liveCampaign(world);
      const earliest = await world.others.clock();
      const set = await mirrorSet(world, seen, change(by));
      const latest = await world.others.clock();
      expect(set.updatedAt).to.match(microseconds);
      expect(set.createdAt).to.match(microseconds);
      expect(set.updatedExternallyAt).to.equal(set.updatedAt);
      // A clock of milliseconds stands still meanwhile, and a microsecond is added to it.
      const times = [earliest, set.updatedAt, latest].map((time) => time?.slice(0, 23));
      expect(times).to.deep.equal(times.toSorted());
    },
  },
  {
    name: 'setMirror: updated_at strictly rises, also while the clock stands behind it',
    check: async (world) => {
      const { seen, by } = await liveCampaign(world);
      await world.others.setUpdatedAt(seen.id, '2199-12-31T23:59:59.999998Z' as Timestamp);
      const times: unknown[] = [];
      for (let time = 0; time < 3; time++) {
        times.push((await mirrorSet(world, seen, change(by)))?.updatedAt);
      }
      expect(times).to.deep.equal([
        '2199-12-31T23:59:59.999999Z',
        '2200-01-01T00:00:00.000000Z',
        '2200-01-01T00:00:00.000001Z',
      ]);
    },
  },
  {
    name: 'setMirror: the address that it already has is an update like any other',
    check: async (world) => {
      const { seen, by, mirror } = await liveCampaign(world);
      const set = await mirrorSet(world, seen, change(by, before));
      expect(set).to.include({ targetUrl: before, updatedExternally: true });
      expect((set.updatedAt ?? '') > mirror.updatedAt).to.equal(true);
      const [row] = await world.others.history(seen.id);
      expect(row).to.include({ addressBefore: before, addressAfter: before, changedAt: set.updatedAt });
    },
  },
];
