import type { Campaign } from '@campaign-mirror/domain';
import { expect } from 'chai';
import {
  address,
  after,
  type Check,
  change,
  type Live,
  liveCampaign,
  newCampaign,
  newMirror,
  newOwner,
  type World,
} from './world.ts';

/** decisions: atomicity — every fact that the rules were judged on still holds at the moment of the write. */
export const compareAndSetChecks: readonly Check[] = [
  refused('its owner is another', (world, { seen }) => world.others.transfer(seen.id, newOwner())),
  refused('it is the default campaign now', (world, { seen }) => world.others.setDefault(seen.id, true)),
  refused('its mirror is deleted', (world, { seen }) => world.others.deleteMirror(seen.id)),
  refused('it is deleted', (world, { seen }) => world.others.deleteCampaign(seen.id)),
  {
    name: 'setMirror: nothing is written when it was seen as the default campaign and is no longer',
    check: async (world) => {
      const live = await liveCampaign(world, true);
      await world.others.setDefault(live.seen.id, false);
      await nothingWritten(world, live, live.seen);
    },
  },
  {
    name: 'setMirror: nothing is written when it was seen without a mirror and has one since',
    check: async (world) => {
      const live = await liveCampaign(world);
      await nothingWritten(world, live, { ...live.seen, hasMirror: false });
    },
  },
  {
    name: 'setMirror: nothing is written when it was seen without a mirror, and has none',
    check: async (world) => {
      const seen = await newCampaign(world);
      const { by } = await liveCampaign(world);
      expect(await world.campaigns.setMirror(seen, change(by))).to.equal(undefined);
      expect(await world.others.mirror(seen.id)).to.equal(undefined);
    },
  },
  {
    name: 'setMirror: a mirror that was deleted and created again is the one that is set',
    check: async (world) => {
      const { seen, by, mirror } = await liveCampaign(world);
      await world.others.deleteMirror(seen.id);
      const again = await newMirror(world, seen.id, address('https://example.com/again'));
      expect(again.id).not.to.equal(mirror.id);
      const set = await world.campaigns.setMirror(seen, change(by));
      expect(set).to.include({ id: again.id, targetUrl: after });
      const [row] = await world.others.history(seen.id);
      expect(row).to.include({ mirrorId: again.id, addressBefore: again.targetUrl });
    },
  },
  {
    name: 'setMirror: clicks counted and an address set since it was seen are no reason to refuse',
    check: async (world) => {
      const { seen, by } = await liveCampaign(world);
      await world.others.countClick(seen.id);
      await world.campaigns.setMirror(seen, change(by, address('https://example.com/meanwhile')));
      await world.others.countClick(seen.id);
      expect(await world.campaigns.setMirror(seen, change(by))).to.include({ targetUrl: after, clicks: 2 });
    },
  },
];

function refused(when: string, meanwhile: (world: World, live: Live) => Promise<void>): Check {
  return {
    name: `setMirror: nothing is written when ${when}`,
    check: async (world) => {
      const live = await liveCampaign(world);
      await meanwhile(world, live);
      await nothingWritten(world, live, live.seen);
    },
  };
}

async function nothingWritten(world: World, { seen, by }: Live, asSeen: Campaign): Promise<void> {
  const mirror = await world.others.mirror(seen.id);
  expect(await world.campaigns.setMirror(asSeen, change(by))).to.equal(undefined);
  expect(await world.others.mirror(seen.id)).to.deep.equal(mirror);
  expect(await world.others.history(seen.id)).to.deep.equal([]);
}
