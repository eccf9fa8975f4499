import { type Campaign, type Subject, subject } from '@campaign-mirror/domain';
import { expect } from 'chai';
import {
  address,
  after,
  before,
  type Check,
  change,
  type Live,
  liveCampaign,
  mirrorSet,
  newCampaign,
  newMirror,
  newOwner,
  type World,
} from '../support/store/world.ts';

const otherOwner = newOwner();

/** contract: atomicity — every fact that the rules were judged on, and the key, still hold at the moment of the write. */
export const compareAndSetChecks: readonly Check[] = [
  differs(
    'its owner is another',
    (world, { seen }) => world.others.transfer(seen.id, otherOwner),
    (seen) => ({ ...seen, ownerId: otherOwner }),
  ),
  differs(
    'it is the default campaign now',
    (world, { seen }) => world.others.setDefault(seen.id, true),
    (seen) => ({ ...seen, isDefault: true }),
  ),
  differs(
    'its mirror is deleted',
    (world, { seen }) => world.others.deleteMirror(seen.id),
    (seen) => ({ ...seen, hasMirror: false }),
  ),
  differs(
    'it is deleted',
    (world, { seen }) => world.others.deleteCampaign(seen.id),
    () => undefined,
  ),
  invalid('is revoked', (world, { keyId }) => world.accessKeys.revoke(keyId)),
  invalid('has expired', (world, { keyId }) => world.others.expireKey(keyId)),
  invalid('is deleted', (world, { keyId }) => world.others.deleteKey(keyId)),
  invalid("is another owner's now", (world, { keyId }) => world.others.giveKey(keyId, newOwner())),
  invalid("is revoked, and the campaign another owner's", async (world, { seen, keyId }) => {
    await world.accessKeys.revoke(keyId);
    await world.others.transfer(seen.id, newOwner());
  }),
  {
    name: 'setMirror: a campaign need not have been read to be seen, by its owner or by a stranger',
    check: async (world) => {
      const { seen, by } = await liveCampaign(world);
      const { by: stranger } = await liveCampaign(world);
      const result = await world.campaigns.setMirror(
        { ...seen, ownerId: stranger.ownerId },
        change(stranger),
      );
      expect(result).to.deep.equal({ kind: 'campaign-differs', campaign: seen });
      expect(await mirrorSet(world, seen, change(by))).to.include({ targetUrl: after });
      expect(await world.others.history(seen.id)).to.have.length(1);
    },
  },
  {
    name: 'setMirror: nothing is written when it was seen as the default campaign and is no longer',
    check: async (world) => {
      const live = await liveCampaign(world, true);
      await world.others.setDefault(live.seen.id, false);
      await nothingWritten(world, live, live.seen, { ...live.seen, isDefault: false });
    },
  },
  {
    name: 'setMirror: nothing is written when it was seen without a mirror and has one since',
    check: async (world) => {
      const live = await liveCampaign(world);
      await nothingWritten(world, live, { ...live.seen, hasMirror: false }, live.seen);
    },
  },
  {
    name: 'setMirror: nothing is written when it was seen without a mirror, and has none',
    check: async (world) => {
      const { by } = await liveCampaign(world);
      const seen = await newCampaign(world, by.ownerId);
      const result = await world.campaigns.setMirror(seen, change(by));
      expect(result).to.deep.equal({ kind: 'campaign-differs', campaign: seen });
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
      const set = await mirrorSet(world, seen, change(by));
      expect(set).to.include({ id: again.id, targetUrl: after });
      const [row] = await world.others.history(seen.id);
      expect(row).to.include({ mirrorId: again.id, addressBefore: again.targetUrl });
    },
  },
  {
    name: 'setMirror: a caller without a key is proven by its identity alone, and its campaign by the write',
    check: async (world) => {
      const { seen, keyId } = await liveCampaign(world);
      await world.accessKeys.revoke(keyId);
      const by = { ownerId: seen.ownerId, subject: subject('jwt', 'client:4 “β”') as Subject };
      expect(await mirrorSet(world, seen, change(by))).to.include({ targetUrl: after });
      const [row, ...more] = await world.others.history(seen.id);
      expect(row).to.include({ subject: by.subject, ownerId: seen.ownerId, addressBefore: before });
      await world.others.transfer(seen.id, otherOwner);
      const result = await world.campaigns.setMirror(seen, change(by));
      expect(result).to.deep.equal({ kind: 'campaign-differs', campaign: { ...seen, ownerId: otherOwner } });
      expect(more).to.deep.equal([]);
    },
  },
  {
    name: 'setMirror: clicks counted and an address set since it was seen are no reason to refuse',
    check: async (world) => {
      const { seen, by } = await liveCampaign(world);
      await world.others.countClick(seen.id);
      await mirrorSet(world, seen, change(by, address('https://example.com/meanwhile')));
      await world.others.countClick(seen.id);
      expect(await mirrorSet(world, seen, change(by))).to.include({ targetUrl: after, clicks: 2 });
    },
  },
];

function differs(
  when: string,
  meanwhile: (world: World, live: Live) => Promise<unknown>,
  asItIs: (seen: Campaign) => Campaign | undefined,
): Check {
  return {
    name: `setMirror: nothing is written, and it is told as it is, when ${when}`,
    check: async (world) => {
      const live = await liveCampaign(world);
      await meanwhile(world, live);
      await nothingWritten(world, live, live.seen, asItIs(live.seen));
    },
  };
}

function invalid(when: string, meanwhile: (world: World, live: Live) => Promise<unknown>): Check {
  return {
    name: `setMirror: nothing is written, and nothing is said about the campaign, when the key ${when}`,
    check: async (world) => {
      const live = await liveCampaign(world);
      await meanwhile(world, live);
      const mirror = await world.others.mirror(live.seen.id);
      const result = await world.campaigns.setMirror(live.seen, change(live.by));
      expect(result).to.deep.equal({ kind: 'caller-invalid' });
      expect(await world.others.mirror(live.seen.id)).to.deep.equal(mirror);
      expect(await world.others.history(live.seen.id)).to.deep.equal([]);
    },
  };
}

async function nothingWritten(
  world: World,
  { seen, by }: Live,
  asSeen: Campaign,
  asItIs: Campaign | undefined,
): Promise<void> {
  const mirror = await world.others.mirror(seen.id);
  const result = await world.campaigns.setMirror(asSeen, change(by));
  expect(result).to.deep.equal({ kind: 'campaign-differs', campaign: asItIs });
  expect(await world.others.mirror(seen.id)).to.deep.equal(mirror);
  expect(await world.others.history(seen.id)).to.deep.equal([]);
}
