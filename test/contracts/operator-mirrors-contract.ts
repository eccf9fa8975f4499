import type { Campaign, HistoryId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { tester } from '../support/store/operator.ts';
import {
  address,
  before,
  type Check,
  change,
  type Live,
  liveCampaign,
  mirrorSet,
  newOwner,
  type World,
} from '../support/store/world.ts';

const restored = { address: address('https://example.com/{back}?ü'), change: 7 as HistoryId };

/** What every `OperatorMirrors` promises. */
export const operatorMirrorsContract: readonly Check[] = [
  {
    name: 'setMirror: the mirror is set, recorded as the operator’s, and noted in the audit',
    check: async (world) => {
      const { seen, mirror } = await liveCampaign(world);
      await world.others.countClick(seen.id);
      const set = await world.operatorMirrors.setMirror(seen, restored);
      const updatedAt = set?.updatedAt ?? '';
      expect(set).to.deep.equal({
        ...mirror,
        clicks: 1,
        targetUrl: restored.address,
        updatedExternally: true,
        updatedExternallyAt: updatedAt,
        updatedAt,
      });
      expect(updatedAt > mirror.updatedAt).to.equal(true);
      expect(await world.others.mirror(seen.id)).to.deep.equal(set);
      const rows = await world.others.history(seen.id);
      expect(rows).to.deep.equal([
        {
          id: rows[0]?.id,
          mirrorId: mirror.id,
          campaignId: seen.id,
          subject: 'operator',
          ownerId: seen.ownerId,
          addressBefore: before,
          addressAfter: restored.address,
          changedAt: updatedAt,
          requestId: tester.requestId,
        },
      ]);
      const [entry] = await world.audit.list({ campaign: seen.id, limit: 1 });
      expect(entry).to.deep.include({
        ...tester,
        act: 'mirror-restored',
        campaignId: seen.id,
        ownerId: seen.ownerId,
        accessKeyId: null,
        details: { change: 7, address_before: before, address_after: restored.address },
      });
    },
  },
  refused('its owner is another', (world, { seen }) => world.others.transfer(seen.id, newOwner())),
  refused('it is the default campaign now', (world, { seen }) => world.others.setDefault(seen.id, true)),
  refused('its mirror is deleted', (world, { seen }) => world.others.deleteMirror(seen.id)),
  refused('it is deleted', (world, { seen }) => world.others.deleteCampaign(seen.id)),
  {
    name: 'setMirror: nothing is written when it was seen without a mirror and has one since',
    check: async (world) => {
      const live = await liveCampaign(world);
      await nothingWritten(world, { ...live.seen, hasMirror: false });
    },
  },
  {
    name: 'setMirror: racing with keys, each change replaces the address that was there',
    check: async (world) => {
      const { seen, by } = await liveCampaign(world);
      const calls = Array.from({ length: 10 }, (_, at) =>
        at % 2
          ? () => world.operatorMirrors.setMirror(seen, restored)
          : () => mirrorSet(world, seen, change(by, address(`https://example.com/racer/${at}`))),
      );
      const set = await world.others.atOnce(seen.id, calls);
      expect(set).not.to.include(undefined);
      const rows = await world.others.history(seen.id);
      expect(rows.map((row) => row.addressBefore)).to.deep.equal([
        before,
        ...rows.slice(0, -1).map((row) => row.addressAfter),
      ]);
      expect(rows.map((row) => row.changedAt)).to.deep.equal(rows.map((row) => row.changedAt).toSorted());
      expect(await world.others.mirror(seen.id)).to.include({ targetUrl: rows.at(-1)?.addressAfter });
    },
  },
];

function refused(when: string, meanwhile: (world: World, live: Live) => Promise<void>): Check {
  return {
    name: `setMirror: nothing is written when ${when}`,
    check: async (world) => {
      const live = await liveCampaign(world);
      await meanwhile(world, live);
      await nothingWritten(world, live.seen);
    },
  };
}

async function nothingWritten(world: World, asSeen: Campaign): Promise<void> {
  const mirror = await world.others.mirror(asSeen.id);
  expect(await world.operatorMirrors.setMirror(asSeen, restored)).to.equal(undefined);
  expect(await world.others.mirror(asSeen.id)).to.deep.equal(mirror);
  expect(await world.others.history(asSeen.id)).to.deep.equal([]);
  const acts = (await world.audit.list({ campaign: asSeen.id, limit: 10 })).map(({ act }) => act);
  expect(acts).not.to.include('mirror-restored');
}
