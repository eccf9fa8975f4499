import type { Case } from '../contracts/case.ts';
import { expectAscending, expectEqual, expectFields, expectThat } from '../contracts/expectations.ts';
import { address, before, change, mirrorSet, newOwner } from '../contracts/live-campaign.ts';
import type { Campaign } from '../set-campaign-mirror/campaign.ts';
import type { HistoryId } from '../values/identifiers.ts';
import { liveCampaign } from './live-store.ts';
import type { StoreWorld } from './store-world.ts';

const restored = { address: address('https://example.com/{back}?ü'), change: 7 as HistoryId };

/** What every `OperatorMirrors` promises. */
export const operatorMirrorsCases: readonly Case<StoreWorld>[] = [
  {
    name: 'setMirror: the mirror is set, recorded as the operator’s, and entered in the audit',
    run: async (world) => {
      const { seen, mirror } = await liveCampaign(world);
      await world.others.countClick(seen.id);
      const set = await world.operatorMirrors.setMirror(seen, restored);
      const updatedAt = set?.updatedAt ?? '';
      expectEqual(set, {
        ...mirror,
        clicks: 1,
        targetUrl: restored.address,
        updatedExternally: true,
        updatedExternallyAt: updatedAt,
        updatedAt,
      });
      expectThat(updatedAt > mirror.updatedAt, `a later time than ${mirror.updatedAt}: ${updatedAt}`);
      expectEqual(await world.others.mirror(seen.id), set);
      const rows = await world.others.history(seen.id);
      const row = {
        id: rows[0]?.id,
        mirrorId: mirror.id,
        campaignId: seen.id,
        subject: 'operator',
        ownerId: seen.ownerId,
        addressBefore: before,
        addressAfter: restored.address,
        changedAt: updatedAt,
        requestId: world.act.requestId,
      };
      expectEqual(rows, [row]);
      const [entry] = await world.audit.list({ campaign: seen.id, limit: 1 });
      expectFields(entry, {
        ...world.act,
        act: 'mirror-restored',
        campaignId: seen.id,
        ownerId: seen.ownerId,
        accessKeyId: null,
        details: { change: 7, address_before: before, address_after: restored.address },
      });
    },
  },
  refused('its owner is another', ({ others }, { id }) => others.transfer(id, newOwner())),
  refused('it is the default campaign now', ({ others }, { id }) => others.setDefault(id, true)),
  refused('its mirror is deleted', ({ others }, { id }) => others.deleteMirror(id)),
  refused('it is deleted', ({ others }, { id }) => others.deleteCampaign(id)),
  {
    name: 'setMirror: nothing is written when it was seen without a mirror and has one since',
    run: async (world) => {
      const live = await liveCampaign(world);
      await nothingWritten(world, { ...live.seen, hasMirror: false });
    },
  },
  {
    name: 'setMirror: racing with keys, each change replaces the address that was there',
    run: async (world) => {
      const { seen, by } = await liveCampaign(world);
      const calls = Array.from({ length: 10 }, (_, at) =>
        at % 2
          ? () => world.operatorMirrors.setMirror(seen, restored)
          : () => mirrorSet(world, seen, change(by, address(`https://example.com/racer/${at}`))),
      );
      const set = await world.others.atOnce(seen.id, calls);
      expectThat(!set.includes(undefined), 'ten mirrors');
      const rows = await world.others.history(seen.id);
      const afters = rows.map((row) => row.addressAfter);
      expectEqual(
        rows.map((row) => row.addressBefore),
        [before, ...afters.slice(0, -1)],
      );
      expectAscending(rows.map((row) => row.changedAt));
      expectFields(await world.others.mirror(seen.id), { targetUrl: afters.at(-1) });
    },
  },
];

function refused(
  when: string,
  meanwhile: (world: StoreWorld, seen: Campaign) => Promise<unknown>,
): Case<StoreWorld> {
  return {
    name: `setMirror: nothing is written when ${when}`,
    run: async (world) => {
      const { seen } = await liveCampaign(world);
      await meanwhile(world, seen);
      await nothingWritten(world, seen);
    },
  };
}

async function nothingWritten(world: StoreWorld, asSeen: Campaign): Promise<void> {
  const mirror = await world.others.mirror(asSeen.id);
  expectEqual(await world.operatorMirrors.setMirror(asSeen, restored), undefined);
  expectEqual(await world.others.mirror(asSeen.id), mirror);
  expectEqual(await world.others.history(asSeen.id), []);
  const acts = (await world.audit.list({ campaign: asSeen.id, limit: 10 })).map(({ act }) => act);
  expectThat(!acts.includes('mirror-restored'), 'no entry in the audit');
}
