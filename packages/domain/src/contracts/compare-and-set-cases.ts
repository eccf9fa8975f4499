import type { Campaign } from '../set-campaign-mirror/campaign.ts';
import type { CampaignRepositoryWorld } from './campaign-repository-world.ts';
import type { Case } from './case.ts';
import { expectEqual, expectFields, expectThat } from './expectations.ts';
import {
  address,
  after,
  change,
  type LiveCampaign,
  liveCampaign,
  mirrorSet,
  newCampaign,
  newMirror,
  newOwner,
} from './live-campaign.ts';

type World = CampaignRepositoryWorld;

const otherOwner = newOwner();

/** contract: atomicity — at the moment of the write, each fact that was judged still holds. */
export const compareAndSetCases: readonly Case<World>[] = [
  differs(
    'its owner is another',
    ({ others }, { id }) => others.transfer(id, otherOwner),
    (seen) => ({ ...seen, ownerId: otherOwner }),
  ),
  differs(
    'it is the default campaign now',
    ({ others }, { id }) => others.setDefault(id, true),
    (seen) => ({ ...seen, isDefault: true }),
  ),
  differs(
    'its mirror is deleted',
    ({ others }, { id }) => others.deleteMirror(id),
    (seen) => ({ ...seen, hasMirror: false }),
  ),
  differs(
    'it is deleted',
    ({ others }, { id }) => others.deleteCampaign(id),
    () => undefined,
  ),
  {
    name: 'setMirror: a campaign need not have been read to be seen, by its owner or by another caller',
    run: async (world) => {
      const { seen, by } = await liveCampaign(world);
      const { by: other } = await liveCampaign(world);
      const result = await world.campaigns.setMirror({ ...seen, ownerId: other.ownerId }, change(other));
      expectEqual(result, { kind: 'campaign-differs', campaign: seen });
      expectFields(await mirrorSet(world, seen, change(by)), { targetUrl: after });
      expectEqual((await world.others.history(seen.id)).length, 1, 'the number of changes');
    },
  },
  {
    name: 'setMirror: nothing is written when it was seen as the default campaign and no longer is',
    run: async (world) => {
      const live = await liveCampaign(world, true);
      await world.others.setDefault(live.seen.id, false);
      await nothingWritten(world, live, live.seen, { ...live.seen, isDefault: false });
    },
  },
  {
    name: 'setMirror: nothing is written when it was seen without a mirror and has one since',
    run: async (world) => {
      const live = await liveCampaign(world);
      await nothingWritten(world, live, { ...live.seen, hasMirror: false }, live.seen);
    },
  },
  {
    name: 'setMirror: nothing is written when it was seen without a mirror and has none',
    run: async (world) => {
      const { by } = await liveCampaign(world);
      const seen = await newCampaign(world, by.ownerId);
      const result = await world.campaigns.setMirror(seen, change(by));
      expectEqual(result, { kind: 'campaign-differs', campaign: seen });
      expectEqual(await world.others.mirror(seen.id), undefined);
    },
  },
  {
    name: 'setMirror: a mirror that was deleted and created again is the one that is set',
    run: async (world) => {
      const { seen, by, mirror } = await liveCampaign(world);
      await world.others.deleteMirror(seen.id);
      const again = await newMirror(world, seen.id, address('https://example.com/again'));
      expectThat(again.id !== mirror.id, 'another number for another mirror');
      const set = await mirrorSet(world, seen, change(by));
      expectFields(set, { id: again.id, targetUrl: after });
      const [row] = await world.others.history(seen.id);
      expectFields(row, { mirrorId: again.id, addressBefore: again.targetUrl });
    },
  },
  {
    name: 'setMirror: clicks counted and an address set since it was seen are no reason to refuse',
    run: async (world) => {
      const { seen, by } = await liveCampaign(world);
      await world.others.countClick(seen.id);
      await mirrorSet(world, seen, change(by, address('https://example.com/meanwhile')));
      await world.others.countClick(seen.id);
      expectFields(await mirrorSet(world, seen, change(by)), { targetUrl: after, clicks: 2 });
    },
  },
];

function differs(
  when: string,
  meanwhile: (world: World, seen: Campaign) => Promise<unknown>,
  asItIs: (seen: Campaign) => Campaign | undefined,
): Case<World> {
  return {
    name: `setMirror: nothing is written, and its present state is returned, when ${when}`,
    run: async (world) => {
      const live = await liveCampaign(world);
      await meanwhile(world, live.seen);
      await nothingWritten(world, live, live.seen, asItIs(live.seen));
    },
  };
}

async function nothingWritten(
  world: World,
  { seen, by }: LiveCampaign,
  asSeen: Campaign,
  asItIs: Campaign | undefined,
): Promise<void> {
  const mirror = await world.others.mirror(seen.id);
  const result = await world.campaigns.setMirror(asSeen, change(by));
  expectEqual(result, { kind: 'campaign-differs', campaign: asItIs });
  expectEqual(await world.others.mirror(seen.id), mirror);
  expectEqual(await world.others.history(seen.id), []);
}
